"""Pairs that look like conflicts and are none, in the words of news, encyclopaedias, tables and notes.

Every pair is two documents, as in `pairs.py`.
"""

from __future__ import annotations

from tests.engines.offline.pairs import Pair

UNITS = (
    Pair("currency in words", "The bridge cost £1.2 million.", "The bridge was built at a cost of £1,200,000."),
    Pair(
        "billion",
        "Harlan Foods had sales of $1.4 billion in 2018.",
        "In 2018 Harlan Foods sold goods for $1,400 million.",
    ),
    Pair("euro and dollar", "The painting was sold for €90,000.", "The painting fetched $98,000 at auction."),
    Pair("minus degrees", "The coldest night brought −40 °C.", "The coldest night brought −40 °F."),
    Pair("kelvin", "The metal melts at 600 K.", "The metal melts at 327 °C."),
    Pair("knots", "The ferry has a top speed of 20 knots.", "The ferry has a top speed of 37 km/h."),
    Pair("litres and gallons", "The tank holds 1,000 litres.", "The tank has a capacity of 264 US gallons."),
    Pair("hours and days", "The siege lasted three days.", "The siege lasted 72 hours."),
    Pair("months and years", "Work on the roof took 18 months.", "Work on the roof took a year and a half."),
    Pair("tonnes and kg", "The anchor weighs 2.4 tonnes.", "The anchor weighs 2,400 kg."),
    Pair("inches and cm", "The disc is 12 inches wide.", "The disc is 30 cm wide."),
    Pair("dozen", "Two dozen workers were hurt in the fire.", "24 workers were hurt in the fire."),
    Pair("quarter and percent", "A quarter of the members voted against it.", "25 % of the members voted against it."),
    Pair("megawatt", "The plant has a capacity of 1.1 GW.", "The plant has a capacity of 1,100 MW."),
    Pair(
        "ordinal word and figure",
        "Selma is the twelfth largest city of Arden.",
        "Selma is the 12th largest city in Arden.",
    ),
    Pair("double", "The tower is 324 m (1,063 ft) tall.", "The tower is 1,063 feet tall."),
    Pair("per head and whole", "The scheme costs £40 per household.", "The scheme costs £3 million."),
)

ROUNDED = (
    Pair("nearly", "Nearly 5,000 runners took part in the 2016 race.", "In the 2016 race 4,932 runners took part."),
    Pair("more than", "The library holds more than 200,000 books.", "The library holds 231,500 books."),
    Pair("at least", "At least 12 people died in the storm.", "The storm killed 14 people."),
    Pair("up to", "The hall seats up to 900 people.", "The hall seats 850 people."),
    Pair("over", "The glacier is over 20 km long.", "The glacier is 23 km long."),
    Pair("less than", "Fewer than 100 speakers of the language remain.", "There are 64 speakers of the language."),
    Pair("approximately", "The lake is approximately 30 m deep.", "The lake is 31.2 m deep."),
    Pair("some", "Some 40 houses burned down.", "42 houses burned down."),
    Pair("range holds the value", "The bird is 25–30 cm long.", "The bird is 28 cm long."),
    Pair("several dozen", "The orchestra has between 60 and 80 players.", "The orchestra has 72 players."),
    Pair("early century", "The abbey dates from the early 12th century.", "The abbey was founded in 1118."),
    Pair("late decade", "The club was founded in the late 1920s.", "The club was founded in 1928."),
    Pair("around a year", "Peder Ness was born around 1480.", "Peder Ness was born in 1478."),
    Pair("before a year", "The barn was built before 1700.", "The barn was built in 1685."),
    Pair("summer", "The line opened in summer 1902.", "The line opened on 14 July 1902."),
)

TIMES = (
    Pair("two decades", "Selma had 31,200 inhabitants in 2010.", "In 2020, Selma had 38,450 inhabitants."),
    Pair("as of", "As of 2015 the firm employed 340 people.", "As of 2022 the firm employed 510 people."),
    Pair(
        "chief executives",
        "Nadia Brook was chief executive of Harlan Foods from 2004 to 2011.",
        "Since 2011 Oscar Lindt has been chief executive of Harlan Foods.",
    ),
    Pair(
        "former and current",
        "The former director of the museum is Ruth Hale.",
        "The director of the museum is Iain Moore.",
    ),
    Pair("first and third bishop", "The first bishop of Arden was Odo.", "The third bishop of Arden was Wulfric."),
    Pair("then a village", "In 1850 Corvin was a village of 300 people.", "Today Corvin is a town of 12,000 people."),
    Pair(
        "moved its seat", "Until 1994 the company was based in Lund.", "Since 1995 the company has been based in Malmö."
    ),
    Pair("two marriages", "In 1921 he married Rosa Klein.", "In 1935 he married Helen Vance."),
    Pair("two seasons", "In the 2012–13 season she scored 14 goals.", "In the 2014–15 season she scored 21 goals."),
    Pair("two terms", "He was elected to the council in 1988.", "He was elected to the council again in 1996."),
    Pair(
        "announced and finished", "Plans for the stadium were announced in 2009.", "The stadium was finished in 2014."
    ),
    Pair("written and published", "The novel was written in 1931.", "The novel was published in 1938."),
    Pair("winter price", "A room cost $90 in January.", "A room cost $160 in July."),
    Pair(
        "election turnout",
        "Turnout was 61 % in the 2008 election.",
        "Turnout was 54 % in the 2012 election.",
    ),
    Pair("renamed", "The ship was called Aurora until 1911.", "From 1912 the ship was called Boreas."),
    Pair("open then", "In 1990 the mine was open.", "In 2005 the mine was closed."),
    Pair("infobox years", "Years active : 1961–1979", "Born : 1938 , Selma"),
)

SCOPE = (
    Pair(
        "Europe and world", "The company has 1,200 employees in Europe.", "The company has 4,500 employees worldwide."
    ),
    Pair(
        "city and metropolitan area",
        "The city has a population of 410,000.",
        "The metropolitan area has a population of 1,150,000.",
    ),
    Pair("home and away", "The team won 12 home matches.", "The team won 7 away matches."),
    Pair("gross and net", "The ship has a gross tonnage of 4,200.", "The ship has a net tonnage of 2,900."),
    Pair("mean and maximum depth", "The mean depth of the lake is 8 m.", "The maximum depth of the lake is 27 m."),
    Pair("seated and standing", "The hall has 400 seats.", "The hall has standing room for 1,000."),
    Pair(
        "domestic and world takings",
        "The film grossed $20 million in Canada.",
        "The film grossed $85 million worldwide.",
    ),
    Pair("of which", "The company owns 60 ships.", "Of the company's ships, 14 are tankers."),
    Pair("goals and games", "He played 210 games for Selma Rovers.", "He scored 96 goals for Selma Rovers."),
    Pair("winter and summer sunrise", "In June the sun rises at 4:30.", "In December the sun rises at 8:10."),
    Pair("release by country", "The game was released in Japan in 1994.", "The game was released in Europe in 1996."),
    Pair("upper and lower house", "The upper house has 60 members.", "The lower house has 150 members."),
    Pair("east wing", "The east wing was built in 1790.", "The west wing was built in 1822."),
    Pair("editions", "The 2004 edition has 312 pages.", "The 2011 edition has 364 pages."),
)

ENTITIES = (
    Pair("two ships", "HMS Dauntless was launched in 1918.", "HMS Danae was launched in 1916."),
    Pair(
        "one name, two careers",
        "Mark Ellery (born 1951) is a Canadian cellist.",
        "Mark Ellery (born 1987) is an Australian rower.",
    ),
    Pair(
        "father and son",
        "William Thorne the Elder died in 1602.",
        "William Thorne the Younger died in 1641.",
    ),
    Pair("two schools", "Northgate School has 640 pupils.", "Southgate School has 910 pupils."),
    Pair("two teams", "Selma Rovers were founded in 1899.", "Selma United were founded in 1921."),
    Pair("two moons", "Its moon Caris has a diameter of 120 km.", "Its moon Belo has a diameter of 48 km."),
    Pair(
        "film and novel",
        "Grey Harbour is a 1962 novel by Leo Marsh.",
        "Grey Harbour is a 1971 film directed by Una Prior.",
        "Grey Harbour (novel)",
        "Grey Harbour (film)",
    ),
    Pair("sister", "Vera Olin was born in Riga.", "Her sister Maja Olin was born in Tartu."),
    Pair("numbered roads", "Highway 12 is 85 km long.", "Highway 21 is 140 km long."),
    Pair("kings", "Henrik II died in 1340.", "Henrik III died in 1377."),
)

SAID = (
    Pair("rumour", "The firm employs 300 people.", "Rumours that the firm employs 900 people were never confirmed."),
    Pair("denied", "The minister resigned in May 2011.", "The minister denied that he had resigned in March 2011."),
    Pair(
        "negated quotation",
        "The well is 30 m deep.",
        '"It is not true that the well is 30 m deep," the guide likes to joke.',
    ),
    Pair("would have", "The race was won by Ana Cruz.", "Had it not rained, the race would have been won by Ida Bell."),
    Pair("planned cost", "The station cost $40 million.", "The station was planned to cost $25 million."),
    Pair(
        "legend", "The castle was built in 1290.", "Legend has it that the castle was built in a single night in 1150."
    ),
    Pair("asked", "The pool is open in winter.", "He asked whether the pool was closed in winter."),
    Pair("novel world", "Oskar Blum died in 1940.", "In the novel, Oskar Blum dies in 1951."),
    Pair("passive and active", "Mary Stone designed the hall.", "The hall was designed by Mary Stone."),
    Pair("not only", "The hall is used for concerts.", "The hall is not only used for concerts."),
    Pair("double negation", "The road is safe.", "The road is not unsafe."),
    Pair("not until", "The line opened in 1902.", "The line was not opened until 1902."),
    Pair("doctor", "Dr. Emil Krantz led the expedition.", "The expedition was led by E. Krantz."),
    Pair("honorific", "The speech was given by Sir Hugh Penrose.", "The speech was given by Hugh Penrose."),
    Pair("nickname in quotes", "The song was written by Bill Tate.", 'The song was written by William "Bill" Tate.'),
    Pair("copy with a slip", "The organ was built in 1711 by Arp Voss.", "The organ was bulit in 1711 by Arp Voss."),
    Pair("list order", "Its languages are Welsh and English.", "Its languages are English and Welsh."),
    Pair("country abbreviation", "The band is from the United States.", "The band is from the USA."),
    Pair("part of a list", "The dish is made of rice, beans and corn.", "The dish is made of rice and beans."),
    Pair("near synonyms", "The clinic is free of charge.", "The clinic costs nothing."),
)

CHINESE = (
    Pair("chinese two years", "2010年该市人口为120万人。", "2020年该市人口为150万人。"),
    Pair("chinese units", "大桥全长2公里。", "大桥全长2000米。"),
    Pair("chinese about", "该校约有3000名学生。", "该校有2980名学生。"),
    Pair("chinese two towers", "南塔高60米。", "北塔高55米。"),
    Pair("chinese length and width", "广场长880米。", "广场宽500米。"),
)

MIXED = (
    Pair("metres and yards", "The green is 400 m from the tee.", "The green lies 437 yards from the tee."),
    Pair(
        "its five arches",
        "The bridge has five arches.",
        "Its five arches are lovely.",
        "Harrow Bridge",
        "Harrow Bridge",
    ),
    Pair("two schools in one word", "Alder School was founded in 1919.", "Birch School was founded in 1931."),
    Pair(
        "two universities",
        "The University of Leeds was founded in 1904.",
        "The University of York was founded in 1963.",
    ),
    Pair("namesakes", "Anna Holt was born in 1920.", "Peter Holt was born in 1931."),
    Pair(
        "an error named", "Often wrongly dated to 1905, Alder Mill was built in 1869.", "Alder Mill was built in 1869."
    ),
    Pair("two chinese museums", "苏州博物馆建于1960年。", "杭州博物馆建于1929年。"),
    Pair("weeks and days", "The voyage took six weeks.", "The voyage took 42 days."),
    Pair("k for thousand", "The prize is worth $50,000.", "The prize is worth $50k."),
    Pair(
        "first quarter and year",
        "Profits of Oren Glass were £3 million in the first quarter.",
        "Profits of Oren Glass were £11 million for the year.",
    ),
    Pair(
        "census day",
        "Tolmin counted 6,204 residents at the 1931 census.",
        "Tolmin counted 8,911 residents at the 1961 census.",
    ),
    Pair(
        "women's team",
        "The women's team of Tolmin won the cup in 1998.",
        "The men's team of Tolmin won the cup in 2003.",
    ),
    Pair("deputy", "Lena Fors is deputy mayor of Tolmin.", "Ivo Hart is mayor of Tolmin."),
    Pair("two brothers", "Anton Reuss was born in 1801.", "Karl Reuss was born in 1806."),
    Pair("maiden name", "Greta Lund painted the altar.", "The altar was painted by Greta Lund-Holm."),
    Pair(
        "acronym", "The treaty was signed by NATO.", "The treaty was signed by the North Atlantic Treaty Organization."
    ),
    Pair("mid century", "The manor was built in the mid-18th century.", "The manor was built in 1754."),
    Pair("by a date", "The tunnel was finished by 1880.", "The tunnel was finished in 1878."),
    Pair("no fewer than", "No fewer than 300 guests came to the ball.", "340 guests came to the ball."),
    Pair("question as heading", "Was the Orm bridge built in 1820?", "The Orm bridge was built in 1834."),
    Pair("reported speech", "The mayor claimed that 500 people had marched.", "About 200 people had marched."),
    Pair("would open", "The line will open in 2030.", "The line opened to freight in 1990."),
    Pair("partial quote", 'Critics called the play "not a success".', "The play was a success."),
    Pair("nested place", "Oren Glass is based in Tolmin.", "Oren Glass is based in Tolmin, Slovenia."),
    Pair("synonym occupation", "Ivo Hart is a lawyer.", "Ivo Hart is an attorney."),
    Pair("low and high tide", "At low tide the channel is 2 m deep.", "At high tide the channel is 9 m deep."),
    Pair("adult and child ticket", "A ticket for adults costs €12.", "A ticket for children costs €6."),
    Pair("summit and base", "The base of the tower is 20 m wide.", "The top of the tower is 8 m wide."),
    Pair("opened twice", "The zoo opened in 1888.", "The new ape house of the zoo opened in 1971."),
    Pair(
        "premiere and release",
        "The film premiered in Venice on 3 September 2008.",
        "The film was released in Norway on 14 November 2008.",
    ),
    Pair(
        "two rivers in one city", "The Sava flows through Tolmin for 4 km.", "The Soca flows through Tolmin for 9 km."
    ),
    Pair("minor planet numbers", "Asteroid 512 was found in 1903.", "Asteroid 733 was found in 1912."),
    Pair("rate and total", "The pump moves 30 litres per second.", "The pump moved 2 million litres in May."),
    Pair("population note", "The parish has 410 people.", "In 1881 the parish had 760 people."),
    Pair("chinese decades", "这座桥建于20世纪60年代。", "这座桥建于1964年。"),
    Pair("chinese report", "据说该塔高90米。", "该塔高60米。"),
)

EVERYDAY = (
    Pair(
        "ends of two years",
        "Beacon Mill was rebuilt at the end of 1945.",
        "Beacon Mill was painted at the end of 1950.",
    ),
    Pair(
        "by the end of a year",
        "By the end of 1945 the firm had a shop in Tarn.",
        "By the end of 1950 the firm had a shop in Orvik.",
        "Orvik Works",
        "Orvik Works",
    ),
    Pair("weekdays and weekends", "The shop opens at 9 am on weekdays.", "The shop opens at 10 am on weekends."),
    Pair("weekdays and a day", "The shop opens at 9 am on weekdays.", "The shop opens at 10 am on Saturdays."),
    Pair("after a time", "The museum opens after 9 am.", "The museum opens at 10 am."),
    Pair("between times", "The shop closes between 5 pm and 6 pm.", "The shop closes at 5:30 pm."),
    Pair("chinese noon", "会议在中午1点开始。", "会议在下午1点开始。"),
    Pair("chinese midnight", "店铺营业到晚上12点。", "店铺营业到凌晨0点。"),
    Pair("two trains", "Train 204 departs at 9:15 am.", "Train 206 departs at 11:40 am."),
    Pair("two leases", "The office lease ends on 31 March 2026.", "The van lease ends on 30 June 2026."),
    Pair("two passports", "Anna's passport expires on 3 May 2026.", "Ben's passport expires on 10 June 2027."),
    Pair("two terms", "Term 1 ends on 27 March.", "Term 2 ends on 17 July."),
    Pair("two guests", "Lena arrives at 9 am.", "Ivo arrives at 11 am."),
    Pair("two halves", "The first half ends at 3:45 pm.", "The second half ends at 4:50 pm."),
    Pair("before midnight", "The bar closes before midnight.", "The bar closes at 11 pm."),
    Pair("after ten at night", "The club opens after 10 pm.", "The club opens at 12:30 am."),
    Pair("before half past twelve", "Lunch starts before 12:30.", "Lunch starts at 11:45."),
    Pair("at the latest", "The meeting starts at 10 am at the latest.", "The meeting starts at 9:30 am."),
    Pair("at the earliest", "The meeting starts at 9 am at the earliest.", "The meeting starts at 9:30 am."),
    Pair("scheduled and real", "The meeting was scheduled to start at 10 am.", "The meeting started at 10:20 am."),
    Pair(
        "held then",
        "Until 2019 the only doctor of the Tarn clinic was Ivo Hart.",
        "Lena Fors is the only doctor of the Tarn clinic.",
    ),
    Pair("chinese about so", "会议在下午3点左右开始。", "会议在下午3点10分开始。"),
    Pair("chinese after", "会议在下午3点之后开始。", "会议在下午3点半开始。"),
    Pair("chinese before", "会议在下午3点前开始。", "会议在下午2点半开始。"),
    Pair("chinese between", "会议在下午2点到4点之间开始。", "会议在下午3点开始。"),
    Pair("time in two ways", "The flight departs at 14:35.", "The flight leaves at 2:35 p.m."),
    Pair("which half of the day", "The shop closes at 6:30.", "The shop closes at 18:30."),
    Pair("one of two times", "The ferry leaves at 9:15 and at 12:40.", "The ferry leaves at 12:40."),
    Pair("times of two days", "The shop opens at 9 am on Mondays.", "The shop opens at 10 am on Sundays."),
    Pair("two doctors", "Dr. Lena Fors was born in 1970.", "Dr. Ivo Hart was born in 1955."),
    Pair("two of one title", "Mr. Hall owns 20 cows.", "Mr. Reed owns 30 cows."),
    Pair("two churches", "St. Mary's was built in 1870.", "St. John's was built in 1850."),
    Pair("initials", "J. Hall was born in 1970.", "J. Reed was born in 1955."),
    Pair("hp and kW", "The engine delivers 100 hp.", "The engine delivers 75 kW."),
    Pair("seconds and minutes", "The song lasts 210 seconds.", "The song is 3.5 minutes long."),
    Pair("score order", "Orvik beat Tarn 3–1.", "Tarn lost 1–3 to Orvik."),
    Pair("per year and per month", "Rent is $600 per month.", "Rent is $7,200 per year."),
    Pair("salary of two", "The captain earns £900.", "The cook earns £500."),
    Pair("elder and younger", "Her elder son was born in 1901.", "Her younger son was born in 1908."),
    Pair("starts in two towns", "The first shop opened in Riga in 1960.", "The second shop opened in Oslo in 1974."),
    Pair(
        "estimate and count", "Experts estimated that 2,000 birds nested there.", "In 2003, 1,640 birds nested there."
    ),
    Pair("if", "If it rains, the match will be cancelled.", "The match will be played."),
    Pair("unless", "The road is open unless there is snow.", "The road is closed when there is snow."),
    Pair("not all", "Not all of the houses are old.", "Some of the houses are old."),
    Pair("hardly", "The village is small.", "The village is not large."),
    Pair("prize two years", "Lena Fors won the Holm Prize in 1994.", "Lena Fors won the Amber Prize in 1999."),
    Pair("sentence cut", "The castle of Orm was built in 1260 by", "Built in 1260, the castle of Orm stands on a hill"),
    Pair("table", "Length | 120 m", "Width | 12 m"),
    Pair("infobox", "Directed by : Una Prior Produced by : Leo Marsh", "Starring : Ida Bell Music by : Joan Field"),
    Pair("north and whole", "The northern line has 12 stations.", "The network has 41 stations."),
    Pair("day and night", "Daytime temperatures reach 30 °C.", "Night temperatures fall to 12 °C."),
    Pair("record holder", "Ana Cruz held the record from 1990.", "Ida Bell set a new record in 1995."),
    Pair("cast", "Una Prior plays the mother.", "Ida Bell plays the daughter."),
    Pair("the same king", "King Olaf III died in 1093.", "Olaf III of Arden died in 1093."),
    Pair("St and Saint", "The church is dedicated to St. Peter.", "The church is dedicated to Saint Peter."),
    Pair("US spelling", "The theatre was built in grey stone.", "The theater was built in gray stone."),
    Pair("born and baptised", "Anton Reuss was born in May 1801.", "Anton Reuss was baptised on 3 June 1801."),
    Pair("votes and share", "She received 14,000 votes.", "She received 52 % of the votes."),
    Pair("first and last stage", "The first stage is 142 km long.", "The last stage is 98 km long."),
    Pair("letter", "Building A has 12 floors.", "Building B has 9 floors."),
    Pair("chinese percent", "森林覆盖率为45%。", "森林面积为300平方公里。"),
    Pair("chinese mayors", "1998年王强任市长。", "2014年李敏任市长。"),
    Pair("said to be", "The house is said to be haunted.", "The house is not haunted."),
)

LOOK_ALIKE = (*UNITS, *ROUNDED, *TIMES, *SCOPE, *ENTITIES, *SAID, *CHINESE, *MIXED, *EVERYDAY)

ONE_TEXT_AT_PEACE = (
    Pair("another of the name", "Tom Hale (born 1891) was a footballer. Another Tom Hale, born 1923, was a vet.", ""),
    Pair("two of one name", "Tom Hale (born 1891) was a footballer. Tom Hale (born 1923) was an engineer.", ""),
    Pair("junior", "Tom Hale senior was born in 1891. Tom Hale junior was born in 1923.", ""),
    Pair("place by place", "The storm killed 14 people in Cuba. In Haiti it killed 40 people.", ""),
    Pair("day by day", "On Monday 14 people had died in the flood. By Friday 31 people had died in the flood.", ""),
    Pair("stages", "The mill was begun in 1840. It was completed in 1844. It was repaired in 1902.", ""),
    Pair("two censuses", "The town had 4,100 people in 1900. By 1950 it had 9,300 people.", ""),
    Pair("table of years", "Population\n1900: 4,100\n1950: 9,300\n2000: 12,700\n", ""),
    Pair("list of persons", "Ann Ray was born in 1940. Bo Lund was born in 1951. Cy Park was born in 1963.", ""),
    Pair(
        "mistake put right", "The guide says that the tower was built in 1880. In fact the tower was built in 1889.", ""
    ),
    Pair("holders", "Odo was abbot until 1130. From 1130 Wulfric was abbot. Hugh was abbot from 1151.", ""),
    Pair("dimensions", "The hall is 40 m long. It is 15 m wide. It is 12 m high.", ""),
    Pair("units twice", "The lake covers 12 km². That is 1,200 hectares. It is 40 m deep, or 131 feet.", ""),
    Pair("two towers", "The north tower is 60 m tall. The south tower is 55 m tall.", ""),
    Pair(
        "careers",
        "In 1990 she joined Selma Rovers. In 1994 she moved to Arden City. She scored 40 goals for Selma "
        "Rovers and 12 goals for Arden City.",
        "",
    ),
    Pair("rumour first", "Rumours said that 90 people had died. The police later said that 12 people had died.", ""),
    Pair("planned and real", "It was planned to cost $5 million. It cost $9 million.", ""),
)
