"""Follow-up questions with the fact that answers each and five that do not: other things of the same subject, and the
same of other subjects."""

from __future__ import annotations

from typing import NamedTuple

from memory_bank.agents.remember import PastTask


class FollowUp(NamedTuple):
    """What was asked and found before, what is asked now, and the facts in memory: the first one answers."""

    before: PastTask
    question: str
    facts: tuple[str, ...]


def read(table: str) -> list[FollowUp]:
    """A paragraph each: what was asked and found, the question, then the facts, a line each."""
    found: list[FollowUp] = []
    for paragraph in table.strip().split("\n\n"):
        asked, result, question, *facts = paragraph.splitlines()
        found.append(FollowUp(PastTask(asked=asked, found=result), question, tuple(facts)))
    return found


ENGLISH = read("""
How long is Harlow Bridge?
Harlow Bridge is 310 m long.
And when was it built?
Harlow Bridge was built in 1931.
Kelso Bridge was built in 1954.
Harlow Bridge has two lanes and a path for bicycles.
The toll on Harlow Bridge is two pounds.
The town hall was built in 1902.
Anna built a shed in the garden last year.

When is the trip to Hawaii?
It is in the second week of May.
how much?
The budget for the Hawaii trip is $10,000.
The new laptop cost $1,400.
The Hawaii trip is planned for May.
The deposit for the flat is two months of rent.
Ben wants to learn to surf.
The budget for the office party is $600.

Where does Maria live?
Maria lives in Porto.
How old is she?
Maria turned 34 in March.
Oskar is 41 years old.
Maria moved to Porto for her work.
The house is about a hundred years old.
Maria likes black coffee.
Dana has two children.

Which hotel did we book in Lisbon?
Hotel Aurora, near the river.
What does it cost a night?
Hotel Aurora charges 120 euros a night.
The flight to Lisbon leaves at seven.
The hostel in Ghent costs 40 euros a night.
Breakfast at Hotel Aurora is served until ten.
Lisbon has good trams.
The parking garage costs 15 euros a day.

Who designed the logo?
Ida Brandt designed the logo.
What is her phone number?
Ida Brandt can be reached at 555 0142.
The plumber can be reached at 555 0199.
Ida Brandt studied in Oslo.
The logo is green and white.
The number of the order is 8831.
Tom has a new phone.

When does the dentist open?
The dentist opens at eight.
And on Saturday?
The dentist is closed at weekends; the emergency service is open on Saturdays.
The market is held on Saturday morning.
The library opens at nine.
The dentist wants the insurance card every quarter.
On Saturday Ben visits his parents.
The bakery opens at six.

What is the Kestrel project about?
A new billing system.
Who leads it?
Priya leads the Kestrel project.
Tom leads the Heron project.
The Kestrel project began in June.
The choir is led by Mrs Lund.
Priya plays the cello.
The Heron project replaces the old website.

Is Ben vegetarian?
Yes, Ben has been a vegetarian for years.
What is he allergic to?
Ben is allergic to hazelnuts.
Anna is allergic to cats.
Ben is a vegetarian.
Ben works at the harbour.
Lena cannot drink milk.
The restaurant marks allergens on its menu.

How much is the rent?
The rent is 900 euros.
When is it due?
The rent is paid on the third of each month.
The tax return is due in July.
The rent of the garage is 60 euros.
The library books are due on Friday.
The landlord is called Mr Okafor.
The washing machine is three years old.

When is the meeting with Dana?
On Thursday at ten.
Where?
The meeting with Dana takes place in the blue room.
The choir meets in the church.
The meeting with Dana was moved from Monday.
Dana works for the city.
The spare key is in the blue box.
The workshop takes place in Leeds.

How far is Little Harlow?
It is twelve miles away.
How do we get there?
The bus number 7 goes to Little Harlow every hour.
The tram goes to the airport.
Little Harlow has 3,000 inhabitants.
Little Harlow has a market on Fridays.
We get vegetables from the farm.
The ferry to the island runs in summer.

What colour is the new sofa?
It is dark green.
Where did we buy it?
The sofa is from the shop in Mill Lane.
The lamp is from a flea market.
The sofa is two metres wide.
The sofa will be delivered on Monday.
The curtains are dark green.
The bicycle was bought in Ghent.

Why was the launch delayed?
The supplier was late.
And until when?
The launch was put off until the 14th of September.
The shop is open until eight.
The supplier of the launch parts is in Turin.
The lease runs until 2027.
The launch party has forty guests.
Anna is on leave until Tuesday.

What does Lena do for a living?
Lena is a nurse.
And her brother?
Lena's brother drives a lorry.
Tom's brother is a painter.
Lena works at night.
Lena lives next to the hospital.
Ben has a brother in Canada.
Anna's sister is a lawyer.

How many guests come to the wedding?
Eighty guests come to the wedding.
Who is paying?
The wedding is paid by Anna's parents.
The company pays for the course.
The wedding is in June.
The guests of the wedding stay at the inn.
The insurance pays for the roof.
Tom is paid by the hour.

What did the doctor say about my knee?
The knee needs rest.
For how long?
The doctor said to rest the knee for six weeks.
The course lasts for two weeks.
The doctor's name is Adeyemi.
The battery lasts for nine hours.
The knee hurts when climbing stairs.
The cake bakes for forty minutes.

Which bread recipe worked best?
The one with rye.
How hot was the oven?
The rye bread bakes at 230 degrees.
The lasagne bakes at 180 degrees.
The rye bread needs a spoon of honey.
The oven was repaired in May.
The bathroom is heated to 22 degrees.
The rye flour is from the mill shop.

Where is the wifi router?
It is in the hall.
And the password?
The wifi password is on a card under the router.
The password of the alarm is known to Anna.
The router is in the hall.
The router was replaced in April.
The safe has a code of six digits.
The wifi does not reach the garden.

Who is the architect of the new library?
Sam Reyes is the architect.
What else did he build?
Sam Reyes also built the theatre in Porthaven.
The Romans built the old wall.
The new library has a roof garden.
Anna built the shelves.
The new library opens in autumn.
The theatre has 400 seats.

What is the name of Oskar's dog?
The dog is called Rex.
What breed is it?
Oskar's dog is a border collie.
Lena's cat is a Siamese.
Oskar's dog sleeps in the hall.
Oskar runs every morning.
The neighbours breed rabbits.
Dana's dog is afraid of thunder.

When does the lease end?
At the end of 2027.
Can we extend it?
The lease can be extended by two years.
The visa cannot be extended.
The lease was signed in 2022.
The loan of the library books was extended.
The lease forbids pets.
The ladder can be extended to four metres.

How much was the car?
It was 8,200 euros.
And what about insurance?
The insurance of the car costs 410 euros a year.
The insurance of the house covers floods.
The car is a blue estate.
The car needs new tyres.
Ben sells insurance.
The travel insurance is with another company.

What did we decide about the kitchen floor?
It will be oak.
Who will lay it?
The kitchen floor is laid by Mr Novak.
The roof is repaired by the Lindqvist firm.
The kitchen floor will be of oak.
The hens lay six eggs a week.
The kitchen has a window to the east.
The carpet was laid by Tom.

Where was the conference last year?
In Utrecht.
And this year?
This year's conference is held in Bergen.
This year's holiday is in Crete.
Last year's conference was in Utrecht.
The conference fee is 300 euros.
The company grew by a tenth this year.
The harvest was poor last year.
""")

CHINESE = read("""
哈洛桥有多长？
哈洛桥长310米。
那它是什么时候建成的？
哈洛桥建成于1931年。
凯尔索桥建成于1954年。
哈洛桥有两条车道。
过哈洛桥要交两元。
市政厅建成于1902年。
安娜去年搭了一个棚子。

夏威夷旅行是什么时候？
五月的第二周。
多少钱？
夏威夷旅行的预算是一万美元。
新电脑花了九千元。
夏威夷旅行安排在五月。
房子的押金是两个月房租。
小李想学冲浪。
公司聚会的预算是六百元。

李娜住在哪里？
李娜住在厦门。
她多大了？
李娜今年三十四岁。
王强四十一岁。
李娜因为工作搬到了厦门。
这栋房子大约有一百年了。
李娜喜欢喝黑咖啡。
小陈有两个孩子。

我们在青岛订了哪家酒店？
海星酒店。
一晚多少钱？
海星酒店每晚六百元。
去青岛的航班七点起飞。
苏州的旅馆每晚两百元。
海星酒店的早餐供应到十点。
青岛的啤酒很有名。
停车场每天五十元。

谁设计了公司的标志？
标志是王丽设计的。
她的电话是多少？
王丽的电话是 5550142。
水管工的电话是 5550199。
王丽在杭州上过学。
公司的标志是绿色和白色的。
订单号是 8831。
小张换了新手机。

红隼项目是做什么的？
是新的结算系统。
谁负责？
红隼项目由陈静负责。
白鹭项目由赵磊负责。
红隼项目六月启动。
合唱团由刘老师负责。
陈静会拉大提琴。
白鹭项目要替换旧网站。

小李吃素吗？
是的，小李吃素多年。
他对什么过敏？
小李对榛子过敏。
安娜对猫过敏。
小李一直吃素。
小李在港口工作。
小赵不能喝牛奶。
那家餐厅在菜单上标注过敏原。

房租是多少？
房租每月三千元。
什么时候交？
房租每月三号交。
报税表七月交。
车库的租金是三百元。
图书馆的书周五到期。
房东姓周。
洗衣机用了三年。

和张总的会议是什么时候？
周四十点。
在哪里？
和张总的会议在蓝色会议室。
合唱团在教堂排练。
和张总的会议从周一改过来了。
张总在市政府工作。
备用钥匙在蓝色的盒子里。
培训班在南京举行。

小河镇有多远？
二十公里。
怎么去那里？
七路公交车每小时一班开往小河镇。
机场可以坐地铁去。
小河镇有三千人。
小河镇周五有集市。
蔬菜是从农场买的。
去岛上的渡船夏天才有。

新沙发是什么颜色？
深绿色。
在哪里买的？
沙发是在磨坊路的店里买的。
台灯是在旧货市场买的。
沙发宽两米。
沙发周一送到。
窗帘是深绿色的。
自行车是在苏州买的。

发布为什么推迟了？
供应商晚了。
推迟到什么时候？
发布推迟到九月十四日。
商店开到八点。
发布所用零件的供应商在合肥。
租约到2027年。
发布会有四十位客人。
安娜休假到周二。

赵敏是做什么工作的？
赵敏是护士。
她弟弟呢？
赵敏的弟弟开货车。
小张的弟弟是画家。
赵敏上夜班。
赵敏住在医院旁边。
小李有个哥哥在加拿大。
安娜的姐姐是律师。

婚礼有多少客人？
婚礼有八十位客人。
谁付钱？
婚礼的费用由安娜的父母出。
培训的费用由公司出。
婚礼在六月。
婚礼的客人住在小旅馆。
屋顶的费用由保险出。
小张按小时拿工资。

新图书馆的设计师是谁？
是孙伟。
他还设计过什么？
孙伟还设计过海港剧院。
老城墙是明代修的。
新图书馆有屋顶花园。
书架是安娜做的。
新图书馆秋天开放。
剧院有四百个座位。

小王的狗叫什么？
叫大黄。
它是什么品种？
小王的狗是边境牧羊犬。
赵敏的猫是暹罗猫。
小王的狗睡在走廊里。
小王每天早上跑步。
邻居养兔子。
小陈的狗怕打雷。

租约什么时候到期？
2027年底。
可以延长吗？
租约可以延长两年。
签证不能延长。
租约是2022年签的。
图书馆的书已经续借。
租约里规定不能养宠物。
梯子可以拉长到四米。

车花了多少钱？
六万元。
保险呢？
车的保险每年三千元。
房子的保险包括水灾。
车是蓝色的。
车要换轮胎。
小李卖保险。
旅行保险在另一家公司。

去年的会议在哪里开的？
在无锡。
今年呢？
今年的会议在大连开。
今年的假期在海南过。
去年的会议在无锡开。
会议的费用是三百元。
公司今年增长了一成。
去年收成不好。
""")

HELD_OUT_ENGLISH = read("""
Who is Mrs Lund?
Mrs Lund conducts the choir.
Since when has she done that?
Mrs Lund has conducted the choir since 2009.
The choir has existed since 1974.
Mrs Lund lives in the old mill.
The bakery has been closed since May.
Mrs Lund plays the organ.
Tom has had a beard since the summer.

What does the Porto flat look like?
It has two rooms and a balcony.
What floor is it on?
The Porto flat is on the fourth floor.
The office is on the second floor.
The Porto flat has a balcony to the river.
The kitchen floor is of oak.
The Porto flat costs 900 euros.
The hotel has ten floors.

When is Anna's birthday?
On the 9th of June.
What does she wish for?
Anna wishes for a watercolour set for her birthday.
Ben wishes for headphones.
Anna was born in Turku.
Anna will be thirty on her birthday.
The children wish for a dog.
Tom wishes the meeting were shorter.

Which supplier delivers the glass?
Vetri Bassi delivers the glass.
How reliable are they?
Vetri Bassi was late with two of five deliveries.
The paint supplier has never been late.
Vetri Bassi is from Murano.
The glass is six millimetres thick.
The old car is still reliable.
The bus is often late in winter.

Did the plumber come?
Yes, on Tuesday.
What did he find?
The plumber found a crack in the pipe behind the shower.
The electrician found a loose wire in the cellar.
The plumber charges 60 euros an hour.
Dana found her lost ring.
The plumber came on Tuesday.
The dog found a hedgehog.

How did the interview with Okoro Foods go?
It went well.
When will they decide?
Okoro Foods decides on the job by the end of March.
The council decides on the new road in May.
Okoro Foods has offices in Lagos.
The interview with Okoro Foods was held by two people.
Anna decided to keep the flat.
The jury decides on the prize on Sunday.

What is the plan for Saturday?
A hike to the Eagle's Rest hut.
How long does it take?
The hike to the Eagle's Rest hut takes five hours.
The drive to Leeds takes two hours.
The Eagle's Rest hut is closed in winter.
The soup takes forty minutes.
On Saturday evening there is a concert.
The visa takes three weeks.

Where are the winter tyres?
In the cellar of Ben's parents.
And the roof rack?
The roof rack hangs in the garage.
The roof needs a new gutter.
The winter tyres are in the cellar of Ben's parents.
The wine rack was a gift.
The winter tyres must be changed in October.
The ladder leans against the shed.
""")

HELD_OUT_CHINESE = read("""
林老师是谁？
林老师是合唱团的指挥。
她从什么时候开始做的？
林老师从2009年起担任指挥。
合唱团成立于1974年。
林老师住在旧磨坊。
面包店五月起关门。
林老师会弹风琴。
小张夏天开始留胡子。

安娜的生日是哪天？
六月九日。
她想要什么礼物？
安娜想要一套水彩作生日礼物。
小李想要一副耳机。
安娜出生在图尔库。
安娜过生日就三十岁了。
孩子们想要一只狗。
小张送了花。

水管工来了吗？
周二来了。
他发现了什么？
水管工发现淋浴后面的管子有裂缝。
电工发现地下室有一根松了的电线。
水管工每小时收六十元。
小陈找到了丢失的戒指。
水管工周二来过。
狗发现了一只刺猬。

周六有什么安排？
去鹰巢小屋徒步。
要走多久？
去鹰巢小屋要走五个小时。
开车去南京要两个小时。
鹰巢小屋冬天关闭。
汤要煮四十分钟。
周六晚上有音乐会。
签证要等三周。

玻璃是哪家供应商送的？
明远玻璃。
他们可靠吗？
明远玻璃五次送货有两次迟到。
油漆的供应商从没迟到过。
明远玻璃在宁波。
玻璃厚六毫米。
旧车还很可靠。
公交车冬天常晚点。

冬季轮胎在哪里？
在小李父母家的地下室。
车顶架呢？
车顶架挂在车库里。
屋顶要换排水槽。
冬季轮胎在小李父母家的地下室。
酒架是礼物。
冬季轮胎十月要换。
梯子靠在棚子上。
""")
"""Written down when the rules were made with the tables above."""
