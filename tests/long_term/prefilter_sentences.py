"""Sentences of each kind that the rules of the pre-filter were made with, English and Chinese, one a line."""

from __future__ import annotations

GREETINGS = """
Hello!
hello there
Hey
Hey there!
Hi everyone
Hi Sam!
Hello, Maria
Good morning
good morning!
Good afternoon
Good evening
Greetings
Hi, how are you?
How are you doing?
How are you today?
How is it going?
How's your day?
Pleased to meet you
Thanks
Thanks a lot
Thank you
Thank you very much!
Thank you so much for your help
thx
Many thanks!
Much appreciated
Bye
Goodbye
bye bye
See you
See you later
Talk to you later
Take care!
Have a nice day
Have a good weekend!
Ok
OK, thanks
okay
Great!
Perfect, thank you
Got it
You're welcome
Sounds good
Merry Christmas!
Happy new year
Happy birthday!
Yes
no, thanks
👋
Hello 😊
你好
您好！
你好吗？
大家好
早上好
下午好！
晚上好
晚安
嗨，你好
谢谢
谢谢你！
非常感谢
多谢
再见
拜拜
明天见
好的
没问题
不客气
新年快乐
生日快乐！
""".strip().splitlines()

GENERAL = """
What is the capital of France?
what is the capital of france
Who wrote Hamlet?
define entropy
Define the word "ephemeral".
What is entropy?
What does entropy mean?
What is a black hole?
What are black holes?
What is DNA?
What is gravity?
What's the speed of light?
How far is the Sun from the Earth?
How many planets are in the solar system?
How many legs does a spider have?
How many days are there in a leap year?
What is the largest ocean in the world?
What is the highest mountain in Europe?
Which country has the most people?
Who invented the telephone?
Who discovered gravity?
Who painted the Starry Night?
Who composed the Ninth Symphony?
When did World War II end?
When did the Roman Empire fall?
When was the French Revolution?
In what year did the Second World War start?
Why is the sky blue?
Why do cats purr?
Why is the sea salty?
How do vaccines work?
How does the heart work?
How does a microwave work?
How do plants make oxygen?
Explain photosynthesis
Explain how rainbows form.
What is the difference between weather and climate?
What is the difference between a crocodile and an alligator?
What is the chemical formula of water?
What is the boiling point of ethanol?
What is the atomic number of carbon?
What is the square root of 81?
What is 12 times 12?
What is the population of India?
What is the currency of Switzerland?
Which languages are spoken in Belgium?
What is the official language of Brazil?
Where is Mongolia?
Is a tomato a fruit?
Are whales mammals?
Tell me the capital of Spain.
Could you please explain what inflation is?
Do you know who wrote the Odyssey?
I would like to know what the capital of Peru is.
What is the plural of mouse?
What is the opposite of hot?
What is the meaning of the word irony?
How hot is the Sun?
How old is the universe?
Who was the first president of the United States?
法国的首都是哪里？
法国首都是哪座城市？
《哈姆雷特》是谁写的？
谁写了《西游记》？
什么是熵？
熵是什么意思？
光速是多少？
水的沸点是多少度？
世界上最大的海洋是哪个？
欧洲最高的山是什么山？
太阳系有几颗行星？
谁发明了电话？
第二次世界大战什么时候结束？
请解释光合作用
疫苗是怎么起作用的？
病毒和细菌有什么区别？
水的化学式是什么？
印度的人口是多少？
我想知道日本的首都是哪里
""".strip().splitlines()

TOOL = """
Search the web for cheap flights
search the internet for the tallest building
Search online for a recipe for bread
Do a web search for electric cars
Run a web search on solar panels
Google the weather in Berlin
Please google "coral reefs"
Look up the exchange rate on the web
Look online for train times
Find the latest news on the web
Find pictures of lighthouses online
Check the internet for news about the election
Browse the web for vegetarian recipes
Open https://example.org/page
open example.com
Please open www.example.org/a?b=c
Go to https://example.org
Visit https://example.net and summarise it
Read https://example.org/article
Fetch http://example.org/x.html
Download https://example.org/data.csv
https://example.org/only-a-link
Summarise https://example.org/post
Translate this
Translate this into French
translate this text to English
Translate the following into Chinese: the cat sleeps
Translate "thank you" into Korean.
Can you translate it into Italian?
Could you please translate these sentences?
How do you say "cheese" in French?
Run a research on tidal power
Do some research on heat pumps
Please start research on lithium mining
Conduct a deep research on bees
Could you run research on sleep and memory?
Calculate 12 * 37
Compute 15% of 240
calculate the square root of 2
Convert 10 km to miles
Convert 100 dollars to euros
Convert 30 degrees Celsius to Fahrenheit
What is 3 + 4 * 2?
Use the web search to find the current oil price
Use the calculator: 3.5 * 8
Call the search tool with "tides"
I want you to search the web for museums
在网上搜索珊瑚白化
上网搜一下火车票
搜索网络上的最新新闻
请在互联网上查找太阳能的资料
用百度搜索面包的做法
谷歌一下柏林的天气
打开 https://example.org/page
打开网页 www.example.com
访问https://example.net
阅读 https://example.org/article
下载 https://example.org/data.csv
翻译这句话
把这个翻译成英语
请将以下内容翻译成法语
帮我把下面这段文字译成日文
“谢谢”用英语怎么说？
研究一下珊瑚白化
对潮汐能进行深入研究
做一个关于蜜蜂的研究
请开始研究锂矿开采
计算 12 乘以 37
算一下 15% × 240
把10公里换算成英里
把100美元换算成欧元
""".strip().splitlines()

LOOKED_FOR = """
What did we decide on the Hawaii trip?
How much was the budget?
What is my favourite colour?
Where do I work?
What is the capital of my country?
Which French wine do I like?
Who wrote the minutes?
Who wrote Project Falcon's plan?
What is Falcon?
How much was Japan?
When is Iceland?
How long was Spain?
What is Project Falcon?
What is the deadline?
What is the deadline of phase two?
What is the name of the hotel?
What's the price of the tickets?
And when was it built?
When was Harlow Bridge built?
Who designed Harlow Bridge?
Who is Dana?
How old is she?
Where does Tom live?
What is the population of Little Harlow?
How deep is the pool?
How high is the tower?
Where is the key?
Where is Anna?
Is Ben vegetarian?
Are the tests failing?
Why are sales down?
Why did Maria leave?
Why is the build slow?
How does the new login work?
How do I restart the server?
How do we deploy?
How many guests are coming?
How many chairs does the hall have?
How much?
and then?
What about the second one?
When did the war between the two clans end?
What happened yesterday?
What's new?
What's next?
What is for dinner?
What time is the train?
What did the doctor say?
Tell me about the trip
Tell me what you know about Kim
Explain the plan
Explain why the wall was moved
Define the goals of the workshop
Hello, where is the meeting?
Thanks, and who pays?
Hi, my name is Maria
I like green tea
My sister is called Ida
Remember that the code is 4711
Search for the hotel we booked
Search my files for the contract
Find the address of Anna
Look up when Dana was born
Open the report
Open the window at eight every day
Translate my letter into French
Translate what Anna wrote
Research the history of the family
Summarise the report
Calculate our share of the rent
Compare the two bridges
Write an email to Tom
Plan the week
The meeting is on Friday
What is the difference between the two offers?
What is the difference between plan A and plan B?
Which is the largest of the rooms?
Which is the largest?
Which country?
What colour?
How many eggs are there?
Are there apples?
Where is sugar?
When is day 2?
What is point 3?
What happened on day 3?
Is the water hot?
How high is the mountain?
What is the highest point of the walk?
Who was the first president of the club?
Good morning, is the report ready?
Did the parcel arrive?
我的生日是哪天？
我们的预算是多少？
会议几点开始？
猫叫什么？
狗在哪里？
什么颜色？
哪个国家？
多少钱？
那什么时候？
他多大了？
汉娜住在哪里？
小王的妹妹叫什么？
酒店的名字是什么？
哪座桥更长？
谁写了会议记录？
钥匙在哪里？
项目的截止日期是什么时候？
为什么销售下降了？
那座塔有多高？
新的登录怎么用？
昨天发生了什么？
你好，会议在哪里？
我喜欢绿茶
总结一下报告
打开报告
把我的信翻译成法语
翻译安娜写的信
搜索我的笔记
比较这两座桥
我们国家的首都是哪里？
俱乐部的第一任主席是谁？
什么是猎鹰计划？
两个方案有什么区别？
计算我们的房租
""".strip().splitlines()
