"""Sentences of each kind that were written down before there was a rule for any of them: rules are measured here.

They are not to be tuned on. What the rules were made with is in `prefilter_sentences.py`.
"""

from __future__ import annotations

GREETINGS = """
Hi!
Hello again
hey, how's it going?
Good evening, everyone
Thanks so much!
Many thanks for your help
See you tomorrow
Goodbye for now
Have a great weekend!
ok, great
Nice to meet you
Good night.
Hi there, how are you doing today?
Howdy
Cheers!
Thank you, that's all.
No problem
What's up?
Welcome back
Sounds good, thanks
你好呀
早安！
晚上好，大家
谢谢你的帮助
再见，明天见
好的，谢谢
辛苦了
你最近好吗？
嗨
周末愉快！
""".strip().splitlines()

GENERAL = """
What is the capital of Portugal?
Who painted the Mona Lisa?
What does photosynthesis mean?
Define inertia.
How many continents are there?
Who wrote Don Quixote?
What is the boiling point of water?
Why do leaves change colour in autumn?
How does a refrigerator work?
What is the square root of 144?
Which planet is the largest in the solar system?
When did the First World War begin?
Can you tell me the population of Japan?
Explain the theory of relativity.
What is the difference between a virus and a bacterium?
Who discovered penicillin?
What language is spoken in Brazil?
How far is the Moon from the Earth?
What's the chemical symbol for gold?
What is a mortgage?
What is the longest river in Africa?
What year did the Berlin Wall fall?
How many bones are in the human body?
Who was the first person on the Moon?
What is machine learning?
西班牙的首都是哪里？
《红楼梦》的作者是谁？
什么是光合作用？
地球到太阳有多远？
水在多少度沸腾？
为什么天空是蓝色的？
世界上最高的山是哪座？
请解释一下相对论。
金的化学符号是什么？
第二次世界大战是哪一年结束的？
""".strip().splitlines()

TOOL = """
Search the web for the latest news on solar power
Open https://example.org/report.pdf
Translate this into German
Run research on coral bleaching
Please google the opening hours of the Louvre
Could you look up the exchange rate of the euro online?
Go to www.example.com and read the page
Translate the following paragraph to Spanish.
Do a web search on heat pumps
Fetch https://example.net/data.json
Visit the website example.org
Start a deep research on battery recycling
Convert 5 miles to kilometres
Calculate 17 * 23
Find articles on the internet about urban beekeeping
Browse to https://news.example.com
Download the file at https://example.org/a.csv
Please search online for train strikes in France
Can you translate "good luck" into Japanese?
Look on the web for reviews of electric bicycles
在网上搜索一下最新的天气预报
打开 https://example.org
把这段话翻译成英文
请翻译以下内容
帮我查一下网上关于新能源汽车的新闻
访问 www.example.com
对珊瑚白化做一次深入研究
计算 25 乘以 48
用谷歌搜索巴黎的博物馆
上网查一查火车时刻表
""".strip().splitlines()

LOOKED_FOR = """
What did we decide about the kitchen floor?
How much was the deposit?
When is the meeting?
Where did Priya put the spare key?
What is my blood type?
Which hotel did I like in Lisbon?
Who is coming on Saturday?
What's the name of Oskar's dog?
Summarise what we know about the Kestrel project
Which supplier is cheapest?
How long is Harlow Bridge?
When was the old mill closed?
What does Lena do for a living?
Remind me what the doctor said
What is the wifi password?
Hi, when does the plumber come?
Search my notes for the recipe
Translate the letter that I wrote to Anton
What is the capital of my home country?
Do you remember the plan for the garden?
Who wrote the report?
How deep is the lake?
What is the budget for the trip to Hawaii?
And how much?
Why was the launch delayed?
Is Mara allergic to nuts?
What should I cook tonight?
How do I get to the office?
Compare the two offers for the roof
What is the population of the town where we live?
Explain the decision of the board
What is the status of the order?
Which room is the workshop in?
Thanks! And what was the second point?
Which of the two bridges is older?
我们上次决定了什么？
会议是什么时候？
我的护照放在哪里？
预算是多少？
小李喜欢吃什么？
谁写了这份报告？
你好，水管工什么时候来？
夏威夷旅行的预算是多少？
请把我写给安东的信翻译成英文
王敏的生日是哪一天？
项目进展怎么样？
那座桥有多长？
为什么推迟发布？
提醒我医生说了什么
订单的状态是什么？
""".strip().splitlines()
