"""Pairs that do contradict each other, in the words of news, encyclopaedias, tables and notes.

Every pair is two documents, as in `pairs.py`.
"""

from __future__ import annotations

from tests.engines.offline.pairs import Pair

NUMBERS = (
    Pair("sales", "Harlan Foods had sales of $1.4 billion in 2018.", "In 2018 Harlan Foods had sales of $2.1 billion."),
    Pair("dead in a fire", "The fire killed 14 people.", "A total of 31 people were killed in the fire."),
    Pair("employees", "The firm employs 340 people.", "The firm has 510 employees."),
    Pair("kelvin", "The metal melts at 600 K.", "The metal melts at 410 °C."),
    Pair("gallons", "The tank holds 1,000 litres.", "The tank holds 500 US gallons."),
    Pair("siege", "The siege lasted three days.", "The siege lasted three weeks."),
    Pair("pages", "The book has 312 pages.", "The book is 428 pages long."),
    Pair("students", "The college has 2,300 students.", "About 5,000 students attend the college."),
    Pair("at least", "At least 40 people died in the storm.", "The storm killed 14 people."),
    Pair("more than", "The library holds more than 200,000 books.", "The library holds 90,000 books."),
    Pair("outside the range", "The bird is 25–30 cm long.", "The bird is 45 cm long."),
    Pair("seats", "The parliament has 150 seats.", "There are 120 seats in the parliament."),
    Pair("twelfth", "Selma is the twelfth largest city of Arden.", "Selma is the 9th largest city in Arden."),
    Pair("half and third", "Half of the members voted for the plan.", "A third of the members voted for the plan."),
    Pair(
        "floors",
        "The tower has 42 storeys.",
        "The 38-storey tower stands by the river.",
        "Kestrel Tower",
        "Kestrel Tower",
    ),
    Pair("price", "The painting was sold for €90,000.", "The painting was sold for €140,000."),
    Pair("goals", "He scored 96 goals for Selma Rovers.", "For Selma Rovers he scored 69 goals."),
    Pair("power", "The plant has a capacity of 1.1 GW.", "The plant has a capacity of 750 MW."),
    Pair("same year", "As of 2015 the firm employed 340 people.", "In 2015 the firm had 520 employees."),
    Pair("infobox number", "Area : 41.2 km 2 Population : 8,120", "Area : 41.2 km 2 Population : 9,980"),
    Pair("moons", "The planet has 14 moons.", "The planet has 27 moons."),
    Pair("legs of a crab", "The crab has eight legs.", "The crab has ten legs."),
    Pair("won by", "Selma Rovers won the final 3–1.", "Selma Rovers won the final 2–0."),
    Pair("years old", "She died at the age of 84.", "She died at the age of 79.", "Vera Olin", "Vera Olin"),
)

DATES = (
    Pair("resigned", "The minister resigned in May 2011.", "The minister stepped down in March 2013."),
    Pair("begun", "Work on the cathedral began in 1248.", "Work on the cathedral began in 1322."),
    Pair("published", "The novel was published in 1938.", "The novel came out in 1951."),
    Pair("century and century", "The abbey dates from the 12th century.", "The abbey dates from the 15th century."),
    Pair("wedding", "They married in June 1921.", "They were married in 1927.", "Vera Olin", "Vera Olin"),
    Pair("launched", "HMS Dauntless was launched in 1918.", "HMS Dauntless was launched in 1921."),
    Pair(
        "first flight", "The aircraft first flew on 3 May 1935.", "The aircraft made its first flight on 9 August 1936."
    ),
    Pair("year in apposition", "Peder Ness, born in 1478, was a monk.", "Peder Ness was born in 1502."),
    Pair(
        "elected",
        "She was first elected mayor in 1998.",
        "She was first elected mayor in 2002.",
        "Vera Olin",
        "Vera Olin",
    ),
    Pair("day of an election", "The vote was held on 4 May 2003.", "The vote was held on 11 May 2003."),
    Pair("joined the union", "Arden joined the union in 1867.", "Arden became a member of the union in 1871."),
    Pair("destroyed", "The old church burned down in 1702.", "The old church burned down in 1745."),
    Pair("moved", "The firm moved to Lund in 1994.", "The firm moved to Lund in 1999."),
    Pair("before", "The barn was built before 1700.", "The barn was built in 1764."),
    Pair("until", "The line was not opened until 1902.", "The line opened in 1887."),
    Pair("late decade", "The club was founded in the late 1920s.", "The club was founded in 1922."),
    Pair("reign", "King Odric reigned from 1210 to 1241.", "King Odric reigned from 1222 to 1241."),
    Pair("table row", "Opened | 14 July 1902", "Opened | 2 June 1911"),
)

NAMES = (
    Pair("winner", "The 1994 race was won by Ana Cruz.", "Ida Bell won the 1994 race."),
    Pair("author", "Grey Harbour is a novel by Leo Marsh.", "The novel Grey Harbour was written by Una Prior."),
    Pair("active and passive", "Mary Stone designed the hall.", "The hall was designed by John Lang."),
    Pair("died where", "Vera Olin died in Riga.", "Vera Olin died in Tartu."),
    Pair("river mouth", "The Tamber flows into the Baltic Sea.", "The Tamber flows into the North Sea."),
    Pair("currency", "The currency of Arden is the crown.", "The currency of Arden is the florin."),
    Pair("language", "The official language of Arden is Welsh.", "The official language of Arden is Breton."),
    Pair("mother", "His mother was Rosa Klein.", "His mother was Helen Vance.", "Emil Krantz", "Emil Krantz"),
    Pair("based in", "Harlan Foods is based in Lund.", "Harlan Foods is headquartered in Oslo."),
    Pair("founder", "The firm was founded by Nadia Brook.", "Oscar Lindt founded the firm."),
    Pair("director now", "The director of the museum is Ruth Hale.", "The director of the museum is Iain Moore."),
    Pair("king in a year", "In 1340 the king of Arden was Henrik II.", "In 1340 the king of Arden was Odric."),
    Pair("scorer", "The goal was scored by Ana Cruz.", "The goal was scored by Ida Bell."),
    Pair("played by", "The detective is played by Una Prior.", "The detective is played by Ida Bell."),
    Pair("heir", "The heir of Krantz was his nephew Paul.", "The heir of Krantz was his nephew Emil."),
    Pair("named after", "The crater is named after Ada Quist.", "The crater is named after Peder Ness."),
    Pair("lies in", "Corvin is a village in Kent.", "Corvin is a village in Devon."),
    Pair("vocalist", "The lead singer of the band is Joan Field.", "The lead singer of the band is Anna Holm."),
    Pair("two initials", "The house was designed by J. Lang.", "The house was designed by M. Stone."),
    Pair("label", "The album was released on Blue Note.", "The album was released on Red Barn Records."),
)

WORDS = (
    Pair("shallow", "The wreck lies in shallow water.", "The wreck lies in deep water."),
    Pair("won lost", "Selma Rovers won the 2004 final.", "Selma Rovers lost the 2004 final."),
    Pair("rose fell", "Prices rose in 2009.", "Prices fell in 2009."),
    Pair("accepted", "The council accepted the plan in 1988.", "The council rejected the plan in 1988."),
    Pair("toxic", "The berries are poisonous.", "The berries are edible."),
    Pair("left bank", "The town lies on the left bank of the Ost.", "The town lies on the right bank of the Ost."),
    Pair("guilty", "The court found the clerk guilty.", "The court found the clerk innocent."),
    Pair("married", "Peder Ness never married.", "Peder Ness married Rosa Klein in 1501."),
    Pair(
        "not elected",
        "Iain Moore was elected to the council in 1996.",
        "Iain Moore was not elected to the council in 1996.",
    ),
    Pair("no survivors", "There were no survivors of the crash.", "There were three survivors of the crash."),
    Pair("cannot", "The bird can fly.", "The bird cannot fly."),
    Pair("without", "The hut has electricity.", "The hut has no electricity."),
    Pair("coast", "Selma is a port on the east coast.", "Selma is a port on the west coast."),
    Pair("instrument", "Mark Ellery is a Canadian cellist.", "Mark Ellery is a Canadian pianist."),
    Pair("before or after", "The tax was raised before the war.", "The tax was raised after the war."),
    Pair("material", "The bridge is made of stone.", "The bridge is made of timber."),
    Pair("failed", "The rocket launch succeeded.", "The rocket launch failed."),
    Pair("did not", "The treaty banned the trade in ivory.", "The treaty did not ban the trade in ivory."),
)

LONGER = (
    Pair(
        "news of one strike",
        "Harlan Foods said on Monday that 240 workers at its plant in Lund had walked out. The strike began on 3 May "
        "and the union wants more pay.",
        "A walkout at the Lund plant of Harlan Foods entered its second week. According to the company, 410 workers "
        "at its plant in Lund had walked out.",
    ),
    Pair(
        "the company",
        "Harlan Foods is a maker of tinned fish. The company was founded in 1911.",
        "Harlan Foods sells tinned fish in Arden. The company was founded in 1934.",
    ),
    Pair(
        "topic of the page",
        "The company was founded in 1911. It makes tinned fish.",
        "Harlan Foods was founded in 1934.",
        "Harlan Foods",
        "Harlan Foods",
    ),
    Pair(
        "lists",
        "Kestrel Tower\n- Height: 160 m\n- Floors: 42\n- Opened: 1998\n",
        "Kestrel Tower is an office building of 42 floors. It is 160 m high and opened in 2004.",
    ),
    Pair(
        "one word in a copy",
        "Selma is a market town in the south of Arden. It lies on the Ost, 20 km from the coast, and has a castle.",
        "Selma is a market town in the north of Arden. It lies on the Ost, 20 km from the coast, and has a castle.",
    ),
)

CHINESE = (
    Pair("chinese length", "大桥全长2公里。", "大桥全长3500米。"),
    Pair("chinese same year", "2010年该市人口为120万人。", "该市2010年人口为150万人。"),
    Pair("chinese author", "这部小说由王明创作。", "这部小说由李华创作。"),
    Pair("chinese not", "该馆对外开放。", "该馆不对外开放。"),
    Pair("chinese birth", "他出生于1919年2月24日。", "他出生于1921年3月1日。"),
)

MIXED = (
    Pair("yards", "The course is 400 m long.", "The course is 600 yards long."),
    Pair("one more", "The bridge has five arches.", "The bridge has six arches."),
    Pair("its arches", "The bridge has five arches.", "Its six arches are lovely.", "Harrow Bridge", "Harrow Bridge"),
    Pair("round figures", "The hall holds 500 people.", "The hall holds 600 people."),
    Pair("corrected", "Often wrongly dated to 1905, Alder Mill was built in 1869.", "Alder Mill was built in 1905."),
    Pair("contrary to", "Contrary to the 45 rooms in some guides, the inn has 38 rooms.", "The inn has 45 rooms."),
    Pair("chinese museum", "苏州博物馆建于1960年。", "苏州博物馆建于1929年。"),
    Pair("weeks", "The voyage took six weeks.", "The voyage took 20 days."),
    Pair("worth", "The prize is worth $50,000.", "The prize is worth $80,000."),
    Pair(
        "census",
        "Tolmin counted 6,204 residents at the 1931 census.",
        "At the 1931 census Tolmin counted 9,870 residents.",
    ),
    Pair("mayor", "Ivo Hart is the mayor of Tolmin.", "Lena Fors is the mayor of Tolmin."),
    Pair("born year", "Anton Reuss was born in 1801.", "Reuss was born in 1811 in Graz."),
    Pair("painted", "Greta Lund painted the altar.", "The altar was painted by Otto Brandt."),
    Pair("mid century", "The manor was built in the mid-18th century.", "The manor was built in 1795."),
    Pair("guests", "No fewer than 300 guests came to the ball.", "120 guests came to the ball."),
    Pair(
        "marched",
        "About 200 people marched through Tolmin on 1 May 1975.",
        "On 1 May 1975 some 4,000 people marched through Tolmin.",
    ),
    Pair("will open", "The line will open in 2030.", "The line will open in 2034."),
    Pair("success", "The play was a success.", "The play was a failure."),
    Pair("occupation", "Ivo Hart is a lawyer.", "Ivo Hart is a farmer."),
    Pair("depth at low tide", "At low tide the channel is 2 m deep.", "At low tide the channel is 5 m deep."),
    Pair("ticket", "A ticket for adults costs €12.", "A ticket for adults costs €18."),
    Pair("premiere", "The film premiered on 3 September 2008.", "The film premiered on 9 May 2010."),
    Pair("flows", "The Sava flows through Tolmin for 4 km.", "The Sava flows through Tolmin for 9 km."),
    Pair("asteroid", "Asteroid 512 was discovered in 1903.", "Asteroid 512 was discovered in 1912."),
    Pair("pump", "The pump moves 30 litres per second.", "The pump moves 55 litres per second."),
    Pair("never visited", "The emperor visited Tolmin in 1809.", "The emperor never visited Tolmin."),
    Pair(
        "heading",
        "## Orm Bridge\n\nBuilt: 1834\nLength: 120 m\n",
        "The Orm Bridge is 120 m long. It was built in 1851.",
        "Orm Bridge",
        "Orm Bridge",
    ),
    Pair("nominal", "The construction of the dam took five years.", "The construction of the dam took nine years."),
    Pair("seat of power", "The seat of the court is Graz.", "The seat of the court is Linz."),
    Pair("age", "Greta Lund was 31 years old when she died.", "Greta Lund was 47 years old when she died."),
    Pair("shape", "The window is round.", "The window is square."),
    Pair(
        "first woman",
        "Lena Fors was the first woman to lead the party.",
        "Ada Moll was the first woman to lead the party.",
    ),
    Pair("buried", "Reuss is buried in Graz.", "Reuss is buried in Linz."),
    Pair("ingredients", "The soup contains no meat.", "The soup contains meat."),
    Pair("chinese height", "该塔高60米。", "该塔高90米。"),
    Pair("chinese founder", "该校由张伟创立。", "该校由刘洋创立。"),
)

EVERYDAY = (
    Pair("departure", "The flight leaves at 2:35 pm.", "The flight departs at 15:10."),
    Pair("departure in one wording", "The flight departs at 14:35.", "The flight departs at 15:10."),
    Pair("in neither half of the day", "The shop closes at 6:30.", "The shop closes at 19:00."),
    Pair("morning at least", "The meeting starts at 3:00.", "The meeting starts at 3:30 pm."),
    Pair("noon", "The meeting starts at noon.", "The meeting starts at 1 pm."),
    Pair("chinese afternoon", "会议在下午3点开始。", "会议在下午4点半开始。"),
    Pair("end of a contract", "The contract ends on 31 March 2025.", "The contract expires on 30 June 2025."),
    Pair("deadline", "The report is due on 3 May.", "The deadline for the report is 10 May."),
    Pair(
        "holder named last",
        "Dr. Lena Fors is the head of the Selma study.",
        "The head of the Selma study is Dr. Ivo Hart.",
    ),
    Pair("hp", "The engine delivers 100 hp.", "The engine delivers 150 kW."),
    Pair("song", "The song lasts 210 seconds.", "The song lasts 6 minutes."),
    Pair("match", "Orvik beat Tarn 3–1.", "Orvik beat Tarn 5–0."),
    Pair("rent", "Rent is $600 per month.", "Rent is $950 per month."),
    Pair("captain", "The captain earns £900.", "The captain earns £1,400."),
    Pair("elder son", "Her elder son was born in 1901.", "Her elder son was born in 1897."),
    Pair("first shop", "The first shop opened in Riga in 1960.", "The first shop opened in Riga in 1966."),
    Pair("cancelled", "The match was cancelled.", "The match was not cancelled."),
    Pair("villages", "The village is small.", "The village is large."),
    Pair("length row", "Length | 120 m", "Length | 145 m"),
    Pair(
        "infobox director",
        "Directed by : Una Prior Produced by : Leo Marsh",
        "Directed by : Ida Bell Produced by : Leo Marsh",
    ),
    Pair("stations", "The network has 41 stations.", "There are 29 stations in the network."),
    Pair("reach", "Daytime temperatures reach 30 °C.", "Daytime temperatures reach 41 °C."),
    Pair("king death", "King Olaf III died in 1093.", "Olaf III of Arden died in 1101."),
    Pair("dedicated", "The church is dedicated to St. Peter.", "The church is dedicated to St. Andrew."),
    Pair("votes", "She received 14,000 votes.", "She received 9,500 votes.", "Lena Fors", "Lena Fors"),
    Pair("stage", "The first stage is 142 km long.", "The first stage is 171 km long."),
    Pair("letter building", "Building A has 12 floors.", "Building A has 9 floors."),
    Pair("haunted by law", "Smoking is allowed in the hall.", "Smoking is forbidden in the hall."),
    Pair("sank", "The ship sank in 1912.", "The ship sank in 1915."),
    Pair("crew", "The ship had a crew of 90.", "The crew of the ship numbered 140."),
    Pair("speaks", "He spoke Welsh.", "He did not speak Welsh.", "Emil Krantz", "Emil Krantz"),
    Pair("older", "The church is older than the castle.", "The castle is older than the church."),
    Pair("merged", "The firm merged with Oren Glass in 1988.", "The firm merged with Oren Glass in 1993."),
    Pair("capital moved", "Arden's capital is Brevik.", "The capital of Arden is Orvik."),
    Pair("never finished", "The tower was completed in 1889.", "The tower was never completed."),
    Pair("chinese percent", "森林覆盖率为45%。", "森林覆盖率为62%。"),
    Pair("chinese mayor", "1998年王强任市长。", "1998年李敏任市长。"),
)

DISAGREEING = (*NUMBERS, *DATES, *NAMES, *WORDS, *LONGER, *CHINESE, *MIXED, *EVERYDAY)

ONE_TEXT_AT_ODDS = (
    Pair("two years", "Kestrel Tower was opened in 1998. It has 42 floors. Kestrel Tower opened in 2004.", ""),
    Pair("the tower", "Kestrel Tower is 160 m tall. It stands by the Ost. The tower is 185 m tall.", ""),
    Pair("it", "Harlan Foods makes tinned fish. It was founded in 1911. The company was founded in 1934.", ""),
    Pair(
        "table and text", "Height: 160 m\nFloors: 42\n\nThe tower is 185 m tall and has 42 floors.", "", "Kestrel Tower"
    ),
    Pair(
        "two dead", "The fire killed 14 people. Police closed the road. In all, 31 people were killed in the fire.", ""
    ),
    Pair(
        "architect twice", "The hall was designed by Mary Stone. It seats 900. The hall was designed by John Lang.", ""
    ),
    Pair("negation", "The hut has electricity. It sleeps ten. The hut has no electricity.", ""),
    Pair(
        "side",
        "Corvin lies on the left bank of the Ost. It has a castle. Corvin lies on the right bank of the Ost.",
        "",
    ),
    Pair("birth", "Vera Olin (born 3 March 1920) was a painter. She worked in Riga. Olin was born in 1931.", ""),
    Pair(
        "same sentence shape",
        "In 2010 the town had 5,210 people. The school is new. In 2010 the town had 7,900 people.",
        "",
    ),
    Pair("winner", "Ana Cruz won the 1994 race. It rained all day. The 1994 race was won by Ida Bell.", ""),
    Pair("chinese", "大桥于1968年建成。大桥全长2公里。大桥于1970年建成。", ""),
)
