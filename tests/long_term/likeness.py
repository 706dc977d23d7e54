"""Sentences of our own for measuring what a similarity says: a fact, the same in other words, one that is near it and
says another thing, and a question that the fact answers. Facts of different rows have nothing in common.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One fact and what is held against it."""

    fact: str
    paraphrase: str
    near_miss: str
    question: str


def _rows(text: str) -> list[Row]:
    return [Row(*line.split(" | ")) for line in text.strip().splitlines()]


ENGLISH = _rows("""
My sister lives in Leeds. | Leeds is where my sister lives. | My sister works in York. | Where does my sister live?
I am allergic to peanuts. | Peanuts give me an allergic reaction. | My son is allergic to cats. | What am I allergic to?
The budget for the Hawaii trip is $10,000. | We may spend $10,000 on the trip to Hawaii. | The flight to Hawaii takes \
ten hours. | How much can we spend on the Hawaii trip?
I prefer the window seat on a plane. | When I fly I like to sit by the window. | I prefer trains to planes. | Which \
seat do I like on a plane?
My dog is called Biscuit. | The name of my dog is Biscuit. | My cat is called Pepper. | What is my dog's name?
I go to the gym every Tuesday evening. | On Tuesday evenings I am at the gym. | The gym closes at ten in the evening. \
| When do I go to the gym?
I play the cello in an amateur orchestra. | I am a cellist in an orchestra of amateurs. | My uncle teaches the piano \
at home. | Which instrument do I play?
Our wedding anniversary is on 14 June. | We were married on the fourteenth of June. | My brother's wedding is in \
September. | When is our wedding anniversary?
I drink my coffee without sugar. | I take no sugar in my coffee. | I drink tea in the afternoon. | How do I take my \
coffee?
The car is due for inspection in March. | In March the car has to be inspected. | The car needs new winter tyres. | \
When does the car have to be inspected?
I am learning Portuguese with an app. | I use an app to study Portuguese. | My wife speaks fluent Portuguese. | Which \
language am I learning?
My manager at work is Helen Park. | Helen Park is my boss. | Helen Park moved to another office. | Who is my manager?
I sleep badly when I eat late. | Eating late in the evening ruins my sleep. | I often read in bed. | What makes me \
sleep badly?
The server room is on the third floor. | You find the server room on floor three. | The canteen is on the ground \
floor. | On which floor is the server room?
I grew up in a village near Porto. | My childhood was in a village close to Porto. | I studied engineering in Lisbon. \
| Where did I grow up?
We rent the flat for 900 euros a month. | The rent of our flat is 900 euros each month. | We are looking for a bigger \
flat. | What is the rent of our flat?
I do not eat meat. | I am a vegetarian. | I bake my own bread. | Do I eat meat?
My daughter starts school next autumn. | Next autumn my daughter begins school. | My daughter is good at drawing. | \
When does my daughter start school?
The report has to be ready by Friday noon. | Friday at noon is the deadline for the report. | The report is forty \
pages long. | When is the report due?
I run a small bookshop in Ghent. | I am the owner of a little bookshop in Ghent. | I buy most books second hand. | \
What business do I run?
I broke my left wrist in 2019. | In 2019 my left wrist was broken. | My right knee hurts after running. | What did I \
break in 2019?
My favourite colour is dark green. | I like dark green best of all colours. | We painted the kitchen yellow. | What is \
my favourite colour?
The spare key hangs in the garage. | You find the spare key in the garage. | The garage door is broken. | Where is \
the spare key?
I watch football on Sundays with my father. | My father and I watch football every Sunday. | I used to play football \
at school. | What do I do with my father on Sundays?
Our team deploys on Wednesdays. | Wednesday is the day our team deploys. | Our team has five developers. | On which \
day does our team deploy?
I keep bees behind the house. | There are beehives of mine behind my house. | I grow tomatoes behind the house. | \
What do I keep behind the house?
The doctor told me to take vitamin D. | I was advised by the doctor to take vitamin D. | The doctor moved my \
appointment to May. | Which vitamin did the doctor tell me to take?
I write my novels by hand. | My novels are handwritten. | My first novel was published last year. | How do I write my \
novels?
The wifi password is on the fridge. | On the fridge you find the password of the wifi. | The wifi is slow in the \
bedroom. | Where is the wifi password?
My grandmother was born in Vienna. | Vienna is the birthplace of my grandmother. | My grandmother makes apple \
strudel. | Where was my grandmother born?
I want to be called Alex, not Alexander. | Please call me Alex instead of Alexander. | My middle name is Peter. | How \
do I want to be called?
I work from home on Mondays. | Mondays I do my work at home. | My office is near the station. | On which day do I work \
from home?
The dishwasher is repaired by Mr Novak. | Mr Novak does the repairs of the dishwasher. | The dishwasher is ten years \
old. | Who repairs the dishwasher?
I am afraid of flying. | Flying scares me. | I get seasick on boats. | What am I afraid of?
We have a cabin by the lake. | There is a cabin at the lake that belongs to us. | The lake freezes in January. | Where \
is our cabin?
I take the number 7 bus to work. | To get to work I use bus number 7. | The number 7 bus is often full. | How do I \
get to work?
I like my steak well done. | My steak should be thoroughly cooked. | I like to cook on an open fire. | How do I like \
my steak?
My laptop runs Debian. | Debian is the operating system of my laptop. | My laptop has a broken screen. | Which \
operating system does my laptop run?
The piano tuner comes twice a year. | Twice a year a tuner comes for the piano. | The piano stands in the living room. \
| How often does the piano tuner come?
I gave up smoking three years ago. | Three years ago I stopped smoking. | My husband still smokes. | When did I give \
up smoking?
I collect old maps of Iceland. | Old maps of Iceland are what I collect. | I visited Iceland last summer. | What do I \
collect?
The rehearsal is in the town hall. | We rehearse in the town hall. | The town hall was built in 1890. | Where is the \
rehearsal?
""")

CHINESE = _rows("""
我姐姐住在杭州。 | 杭州是我姐姐住的地方。 | 我姐姐在上海工作。 | 我姐姐住在哪里？
我对花生过敏。 | 吃花生会让我过敏。 | 我儿子对猫毛过敏。 | 我对什么过敏？
夏威夷旅行的预算是一万美元。 | 去夏威夷玩我们最多花一万美元。 | 飞到夏威夷要十个小时。 | 去夏威夷旅行能花多少钱？
坐飞机时我喜欢靠窗的座位。 | 我乘飞机爱坐窗边。 | 比起飞机我更喜欢火车。 | 坐飞机我喜欢哪个座位？
我的狗叫豆豆。 | 豆豆是我家狗的名字。 | 我的猫叫咪咪。 | 我的狗叫什么名字？
我每周二晚上去健身房。 | 星期二晚上我都在健身房锻炼。 | 健身房晚上十点关门。 | 我什么时候去健身房？
我在业余乐团拉大提琴。 | 我是一个业余乐团的大提琴手。 | 我叔叔在家教钢琴。 | 我会什么乐器？
我们的结婚纪念日是六月十四日。 | 我们是六月十四日结的婚。 | 我弟弟九月办婚礼。 | 我们的结婚纪念日是哪天？
我喝咖啡不加糖。 | 我的咖啡里不放糖。 | 我下午喝茶。 | 我怎么喝咖啡？
车子三月份要年检。 | 三月份得给车做年检。 | 车子需要换冬季轮胎。 | 车子什么时候年检？
我在用手机应用学葡萄牙语。 | 我通过一个应用学习葡萄牙语。 | 我妻子葡萄牙语很流利。 | 我在学什么语言？
我的经理是王海伦。 | 王海伦是我的上司。 | 王海伦换了办公室。 | 谁是我的经理？
晚上吃得太晚我就睡不好。 | 太晚吃东西会影响我的睡眠。 | 我常常在床上看书。 | 什么会让我睡不好？
机房在三楼。 | 三楼是机房所在的楼层。 | 食堂在一楼。 | 机房在几楼？
我在桂林附近的一个村子长大。 | 我的童年是在桂林旁边的村子里度过的。 | 我在北京读的工程专业。 | 我在哪里长大？
我们租的房子每月四千块。 | 我们每个月的房租是四千块。 | 我们想找大一点的房子。 | 我们的房租是多少？
我不吃肉。 | 我是素食者。 | 我自己烤面包。 | 我吃肉吗？
我女儿明年秋天上小学。 | 明年秋天我女儿就要开始上小学了。 | 我女儿很会画画。 | 我女儿什么时候上学？
报告星期五中午前要交。 | 交报告的期限是星期五中午。 | 这份报告有四十页。 | 报告什么时候交？
我在成都开了一家小书店。 | 我是成都一家小书店的老板。 | 我的书大多是二手买来的。 | 我做什么生意？
我二〇一九年摔断了左手腕。 | 二〇一九年我的左手腕骨折了。 | 跑步后我的右膝盖会疼。 | 我二〇一九年受了什么伤？
我最喜欢的颜色是墨绿色。 | 所有颜色里我最爱墨绿。 | 我们把厨房刷成了黄色。 | 我最喜欢什么颜色？
备用钥匙挂在车库里。 | 车库里挂着备用的钥匙。 | 车库的门坏了。 | 备用钥匙在哪里？
星期天我和爸爸一起看足球。 | 我每个星期天都陪爸爸看足球赛。 | 我上学的时候踢过足球。 | 星期天我和爸爸做什么？
我们团队每周三发布新版本。 | 星期三是我们团队发布版本的日子。 | 我们团队有五个开发人员。 | 我们团队哪天发布？
我在屋后养蜜蜂。 | 我家房子后面有我养的蜜蜂。 | 我在屋后种番茄。 | 我在屋后养什么？
医生让我吃维生素D。 | 我听医生的建议在吃维生素D。 | 医生把我的预约改到了五月。 | 医生让我吃什么维生素？
我用手写小说。 | 我的小说都是手写的。 | 我的第一本小说去年出版了。 | 我怎么写小说？
无线网的密码贴在冰箱上。 | 冰箱上贴着无线网密码。 | 卧室里的无线网很慢。 | 无线网密码在哪里？
我奶奶在哈尔滨出生。 | 哈尔滨是我奶奶的出生地。 | 我奶奶会做苹果派。 | 我奶奶在哪里出生？
请叫我小李，不要叫李先生。 | 我希望别人叫我小李而不是李先生。 | 我的英文名是彼得。 | 我希望别人怎么叫我？
我星期一在家办公。 | 每个星期一我都在家里上班。 | 我的办公室在车站附近。 | 我哪天在家办公？
洗碗机由陈师傅修理。 | 陈师傅负责修我们的洗碗机。 | 洗碗机用了十年了。 | 谁来修洗碗机？
我害怕坐飞机。 | 坐飞机让我很害怕。 | 我坐船会晕船。 | 我害怕什么？
我们在湖边有一间小木屋。 | 湖边有一间属于我们的小木屋。 | 湖水一月份会结冰。 | 我们的小木屋在哪里？
我坐七路公交车上班。 | 我上班乘的是七路公交。 | 七路公交车经常很挤。 | 我怎么去上班？
我喜欢全熟的牛排。 | 我的牛排要煎到全熟。 | 我喜欢用明火做饭。 | 我喜欢几分熟的牛排？
我的笔记本电脑装的是德比安系统。 | 德比安是我电脑的操作系统。 | 我的笔记本电脑屏幕坏了。 | 我的电脑用什么操作系统？
调琴师每年来两次。 | 每年有两次请调琴师来家里。 | 钢琴放在客厅里。 | 调琴师多久来一次？
我三年前戒了烟。 | 三年前我就不抽烟了。 | 我丈夫还在抽烟。 | 我什么时候戒的烟？
我收藏冰岛的老地图。 | 冰岛的老地图是我的收藏。 | 我去年夏天去了冰岛。 | 我收藏什么？
排练在市政厅举行。 | 我们在市政厅排练。 | 市政厅是一八九〇年建的。 | 排练在哪里？
""")
