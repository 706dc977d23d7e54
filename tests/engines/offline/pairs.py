"""Pairs of short texts of our own: some contradict each other, some only look as if they did.

Every pair is two documents. `topic_a` and `topic_b` are what the caller knows about what each is about.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    name: str
    a: str
    b: str
    topic_a: str = ""
    topic_b: str = ""


HARMLESS = (
    # units and rounding
    Pair("height in km and m", "The peak is 8.8 km high.", "The peak rises to a height of 8,849 m."),
    Pair("miles and km", "The Marlow Canal is 31 miles long.", "The Marlow Canal is 50 km long."),
    Pair(
        "feet and inches",
        "Ida Brandt is 6 ft 1 in tall.",
        "Ida Brandt has a height of 1.85 m.",
    ),
    Pair("acres and hectares", "The park covers 100 acres.", "The park covers an area of 40 hectares."),
    Pair("fahrenheit", "The spring has a temperature of 104 °F.", "The spring has a temperature of 40 °C."),
    Pair("kg and lb", "The bell weighs 1,000 kg.", "The bell has a weight of 2,205 lb."),
    Pair(
        "rounded population",
        "Orvik had a population of about 12,000 in 2011.",
        "The population of Orvik was 11,874 in 2011.",
    ),
    Pair("million in words", "The tunnel cost $2.5 million.", "The cost of the tunnel was $2,500,000."),
    Pair("number word", "The bridge has eleven arches.", "The bridge has 11 arches."),
    Pair("half", "The voyage lasted two and a half hours.", "The voyage lasted 150 minutes."),
    Pair("thousands separator", "The stadium has a capacity of 19,209.", "The stadium has a capacity of 19209."),
    Pair("about and exact", "Around 300 people live in Tarn.", "291 people live in Tarn."),
    Pair("percent rounding", "About 60 % of the voters took part.", "59.6 percent of the voters took part."),
    Pair("square miles", "The island has an area of 10 square miles.", "The island has an area of 25.9 km²."),
    # precision of dates
    Pair("year and day", "The lighthouse opened in 1908.", "The lighthouse opened on 3 May 1908."),
    Pair("decade and year", "The mill was built in the 1840s.", "The mill was built in 1846."),
    Pair("century and year", "The chapel was built in the 17th century.", "The chapel was erected in 1652."),
    Pair("circa", "Jan Vroom was born c. 1715.", "Jan Vroom was born in 1717."),
    Pair("date formats", "The society was founded on 4 October 1911.", "The society was founded on October 4, 1911."),
    Pair("iso date", "Anna Holm was born on 1919-02-24.", "Anna Holm was born on 24 February 1919."),
    Pair(
        "range and its year",
        "The courthouse was built in 1879-1880.",
        "The courthouse was built in 1880.",
    ),
    Pair("month and day", "The treaty was signed in May 1954.", "The treaty was signed on 7 May 1954."),
    # periods
    Pair(
        "population in two years",
        "The population of Dunmere was 5,210 in 1950.",
        "The population of Dunmere was 9,870 in 2020.",
    ),
    Pair(
        "census years",
        "At the 2000 census the population of Kell was 1,418.",
        "At the 2010 census the population of Kell was 1,294.",
    ),
    Pair("mayor then and now", "In 1998 Karl Weiss was mayor of Hollen.", "In 2014 Eva Lind was mayor of Hollen."),
    Pair(
        "revenue of years",
        "The firm had a revenue of $5 million in 2019.",
        "The firm had a revenue of $8 million in 2021.",
    ),
    Pair("begun and completed", "Construction of the dam began in 1960.", "The dam was completed in 1970."),
    Pair("built and demolished", "The tower was built in 1889.", "The tower was demolished in 1932."),
    Pair("born and died", "Clara Moss was born in 1840 in Leeds.", "Clara Moss died in 1911 in York."),
    Pair("founded and listed", "The inn was founded in 1711.", "The inn was listed in 1976."),
    Pair("opened and reopened", "The museum opened in 1931.", "The museum closed in 1994."),
    # scope and attribute
    Pair("north and south tower", "The north tower is 60 m tall.", "The south tower is 55 m tall."),
    Pair("length and width", "The hall is 40 m long.", "The hall is 15 m wide."),
    Pair("men and women", "The town has 2,400 women.", "The town has 2,150 men."),
    Pair("rooms and floors", "The hotel has 120 rooms.", "The hotel has 9 floors."),
    Pair(
        "contributing and other buildings",
        "The district has 40 contributing buildings.",
        "The district has 12 noncontributing buildings.",
    ),
    Pair("area and population", "Brevik covers 12 km².", "Brevik has a population of 12,400."),
    Pair("first and second edition", "The first edition appeared in 1901.", "The second edition appeared in 1911."),
    Pair("his brother", "Paul Renner was born in 1860.", "His brother was born in 1864."),
    Pair(
        "land and water",
        "The lake district has 300 square miles of land.",
        "The lake district has 40 square miles of water.",
    ),
    # different things of one name
    Pair(
        "two towns",
        "Ashford is a town in Ohio. The population was 4,120 at the 2010 census.",
        "Ashford is a village in Kent. The population was 870 at the 2010 census.",
        "Ashford (Ohio)",
        "Ashford (Kent)",
    ),
    Pair(
        "two footballers",
        "Tom Hale was born in 1891 in Leeds and played as a forward for Arsenal.",
        "Tom Hale was born in 1923 in Perth and worked as a marine engineer.",
        "Tom Hale (footballer)",
        "Tom Hale (engineer)",
    ),
    Pair(
        "two albums",
        "Night Train is a 1979 album by Joan Field.",
        "Night Train is a 2003 album by The Kilns.",
        "Night Train (Joan Field album)",
        "Night Train (Kilns album)",
    ),
    Pair("two rivers", "The Tamber is 212 km long.", "The Ost is 87 km long."),
    Pair("two cities with one frame", "Leeds has a population of 812,000.", "Bradford has a population of 546,000."),
    Pair("capitals", "Lima is the capital of Peru.", "Quito is the capital of Ecuador."),
    Pair(
        "two mills",
        "Cross Mill was built in 1798 by John Parrish.",
        "Union Mill was built in 1819 by James Humphrey.",
    ),
    # restatement
    Pair("same words", "The bridge was opened in 1932.", "The bridge was opened in 1932."),
    Pair(
        "cropped", "Tall and narrow, the bridge was opened in 1932 by the", "the bridge was opened in 1932 by the Queen"
    ),
    Pair(
        "typography", "The bridge ( 1932 ) was opened by J . Lang . [ 1 ]", "The bridge (1932) was opened by J. Lang."
    ),
    Pair("synonym verbs", "The mill was erected in 1846.", "The mill was constructed in 1846."),
    Pair("short and full name", "Mozart wrote the opera.", "Wolfgang Amadeus Mozart wrote the opera."),
    Pair("initials", "The house was designed by J. Lang.", "The house was designed by John Lang."),
    Pair(
        "abbreviation",
        "The series was produced by the BBC.",
        "The series was produced by the British Broadcasting Corporation.",
    ),
    Pair("transliteration", "The battle was fought near Kiev.", "The battle was fought near Kyiv."),
    Pair("place and wider place", "The school is located in Verona.", "The school is located in Verona, Italy."),
    # lists and members, ranges
    Pair(
        "list and member",
        "The film was produced by Ann Ray, Bo Lund and Cy Park.",
        "The film was produced by Bo Lund.",
    ),
    Pair("range and member", "The school teaches grades 7-12.", "The school teaches grade 9."),
    Pair("years of office and one year", "He was in office from 1950 to 1958.", "He was in office in 1955."),
    # quotation, report, hypothesis, question
    Pair("report denied", "The tower was built in 1889.", "Some say the tower was built in 1901."),
    Pair("mistake named", "Ada Quist was born in 1815.", "It was wrongly printed that Ada Quist was born in 1816."),
    Pair(
        "hypothesis",
        "The dam was completed in 1970.",
        "If the dam had been completed in 1968, the flood would have been stopped.",
    ),
    Pair("question", "The tower is 60 m tall.", "Is the tower 70 m tall?"),
    Pair("plan", "The line was opened in 1932.", "The line was expected to be opened in 1928."),
    Pair("negated quotation", "The mill is open.", '"The mill is not open," said a visitor in the story.'),
    # negation that agrees
    Pair("negation of another thing", "The mill is open to visitors.", "The mill is not owned by the county."),
    Pair("both negated", "The bridge is not open to cars.", "The bridge is not open to cars."),
    # longer texts
    Pair(
        "one bridge told twice",
        "The Lindal Bridge carries the road over the river Tam. It is 212 m long and was opened in 1932 by "
        "the king. The steel arch was designed by Mary Stone.",
        "Designed by Mary Stone, the Lindal Bridge is a steel arch across the Tam. It opened to traffic in "
        "1932 and is 212 metres in length. Its deck was renewed in 1998.",
    ),
    Pair(
        "mother and daughter",
        "Marie Curie was born in Warsaw on 7 November 1867. With Pierre Curie she discovered polonium and "
        "radium. She received the Nobel Prize in Physics in 1903 and the Nobel Prize in Chemistry in 1911. "
        "She died in 1934 in Passy.",
        "Irène Joliot-Curie was born in Paris on 12 September 1897. With Frédéric Joliot she discovered "
        "artificial radioactivity. She received the Nobel Prize in Chemistry in 1935. She died in 1956 in "
        "Paris.",
    ),
    Pair(
        "a city in two decades",
        "Orvik is a port city in the north. In 2010 it had 52,300 inhabitants. The harbour was built in 1871 "
        "and the railway came in 1893.",
        "Orvik grew fast in the last decade: in 2020 the population was 61,800. The port handles timber and "
        "fish. Its harbour, from 1871, was enlarged in 1965.",
    ),
    Pair(
        "two mills in short",
        "Cross Mill is a tower mill in Tarn. It was built in 1798 for John Parrish. It has five floors and "
        "worked until 1910.",
        "Union Mill is a smock mill in Cranbrook. It was built in 1814 for James Humphrey. It has seven "
        "floors and still works.",
    ),
    Pair(
        "a lake in two systems of units",
        "Lake Holt is 40 m deep and covers 12 km². It is fed by the Tam and drains to the sea.",
        "Lake Holt, fed by the Tam, has an area of 1,200 hectares. Its greatest depth is 131 feet.",
    ),
    # Chinese
    Pair("chinese same date", "大桥于1968年建成。", "大桥于一九六八年建成。"),
    Pair("chinese year and day", "他出生于1919年。", "他出生于1919年2月24日。"),
)

CONTRADICTING = (
    # numbers
    Pair("population", "The population of Dunmere was 5,210 in 2010.", "In 2010 Dunmere had a population of 7,900."),
    Pair(
        "population in parallel",
        "The population was 5,390 at the 2010 census.",
        "The population was 12,450 at the 2010 census.",
    ),
    Pair("height", "The tower is 60 m tall.", "The tower is 72 m tall."),
    Pair("height across units", "The tower is 60 m tall.", "The tower has a height of 150 feet."),
    Pair("length", "The Marlow Canal is 31 miles long.", "The Marlow Canal has a length of 80 km."),
    Pair("arches", "The bridge has eleven arches.", "The bridge has 13 arches."),
    Pair("area", "The park covers 100 acres.", "The park has an area of 90 hectares."),
    Pair("capacity", "The stadium has a capacity of 19,209.", "The stadium has a capacity of 25,000."),
    Pair("cost", "The tunnel cost $2.5 million.", "The cost of the tunnel was $4 million."),
    Pair("weight", "The bell weighs 1,000 kg.", "The bell weighs 3,500 lb."),
    Pair("speed", "The train has a top speed of 200 km/h.", "The train has a top speed of 100 mph."),
    Pair("buildings", "The district has 291 contributing buildings.", "The district has 150 contributing buildings."),
    Pair("rooms", "The hotel has 120 rooms.", "There are 86 rooms in the hotel."),
    Pair(
        "percent",
        "Of the voters, 60 % took part in the 2012 election.",
        "Of the voters, 45 % took part in the 2012 election.",
    ),
    Pair(
        "temperature",
        "The alloy has a melting temperature of 240 °C.",
        "The alloy has a melting temperature of 310 °C.",
    ),
    Pair("depth", "The lake is 40 m deep.", "The lake has a depth of 95 m."),
    Pair(
        "children",
        "She and her husband Olaf raised twelve children in Bergen.",
        "She and her husband Olaf raised nine children in Bergen.",
    ),
    Pair(
        "ordinal rank",
        "Brevik is the third largest city in the province of Holt.",
        "Brevik is the fifth largest city in the province of Holt.",
    ),
    Pair("running time", "The film has a length of 95 minutes.", "The film runs for 3 hours."),
    # dates
    Pair("completion", "The Aswan High Dam was completed in 1970.", "The Aswan High Dam was completed in 1968."),
    Pair("built and erected", "Beacon Mill was built in 1869.", "The Beacon Mill was erected in 1905."),
    Pair(
        "the mill",
        "Beacon Mill stands near Holm. The mill was built in 1869.",
        "Beacon Mill is a smock mill. It was constructed in 1905.",
        "Beacon Mill",
        "Beacon Mill",
    ),
    Pair("birth", "Ida Brandt was born on 3 March 1920.", "Ida Brandt (born 5 June 1924) is a painter."),
    Pair(
        "life span",
        "Ida Brandt (3 March 1920 – 7 May 1990) was a painter.",
        "Ida Brandt (3 March 1920 – 9 June 1994) was a painter.",
    ),
    Pair("death", "Karl Weiss died in 1911.", "Karl Weiss died on 4 May 1915."),
    Pair("founded", "The society was founded in 1871.", "The society was established in 1902."),
    Pair("infobox", "Born : March 3, 1920 Ida Brandt", "Ida Brandt was born in 1931."),
    Pair("founded fragment", "Founded 7 September 1971", "Founded 12 March 1968"),
    Pair("opened", "The museum opened in 1931.", "The museum was opened on 4 June 1936."),
    Pair("released", "The album was released on 12 April 2011.", "The album was released on 1 January 2010."),
    Pair("fronted year", "In 1970 the dam was completed.", "The dam was completed in 1964."),
    Pair(
        "day of a month",
        "The battle took place on 7 May 1864 near the village of Holt.",
        "The battle took place on 9 May 1864 near the village of Holt.",
    ),
    Pair("decade", "The mill was built in the 1840s.", "The mill was built in 1869."),
    Pair("century", "The chapel was built in the 17th century.", "The chapel was built in 1821."),
    Pair("range", "The house was built between 1861–1862.", "The house was built between 1881–1882."),
    Pair(
        "last worked",
        "The mill was last worked for trade in 1921 with two sails.",
        "The mill was last worked for trade in 1955 with two sails.",
    ),
    Pair("closed", "The station was closed in 1966.", "The station closed in 1971."),
    Pair("discovered", "The comet was discovered in 1843.", "The comet was discovered in 1858."),
    # names in a role
    Pair("architect", "The hall was designed by John Lang.", "The hall was designed by Mary Stone."),
    Pair("director", "Night Train was directed by Joan Field.", "Night Train is a film directed by Peter Holm."),
    Pair(
        "band",
        "Blue Coast is an album by the band Anthill, released in 1987.",
        "Blue Coast is an album by the band The Kilns, released in 1987.",
    ),
    Pair(
        "owner",
        "The first owner of the house was George Short, a wealthy merchant.",
        "The first owner of the house was Adam Long, a wealthy merchant.",
    ),
    Pair("birthplace", "Ida Brandt was born in Bergen.", "Ida Brandt was born in Oslo."),
    Pair(
        "location",
        "The school is a high school located in Thimphu, Bhutan.",
        "The school is a high school located in Kathmandu, Nepal.",
    ),
    Pair("capital", "The capital of Holt is Brevik.", "The capital of Holt is Orvik."),
    Pair("composer", "The mass was composed by Anton Huber.", "The mass was composed by Johann Kern."),
    Pair(
        "home club", "The stadium is the home ground of Tarn United.", "The stadium is the home ground of Orvik Rovers."
    ),
    Pair("inventor", "The device was invented by Clara Moss.", "The device was invented by Paul Renner."),
    Pair(
        "married",
        "In 1911 she married the painter Olaf Lie in Bergen.",
        "In 1911 she married the painter Jens Dahl in Bergen.",
    ),
    # words that exclude each other
    Pair("nationality", "Ida Brandt was a Norwegian painter.", "Ida Brandt was a Danish painter."),
    Pair("genre", "Manhole is a 2001 American drama film.", "Manhole is a 2001 American comedy film."),
    Pair("colour", "The cap of the mushroom is purple when young.", "The cap of the mushroom is green when young."),
    Pair(
        "sport",
        "The town has a professional cricket team called the Rovers.",
        "The town has a professional rugby team called the Rovers.",
    ),
    Pair("largest", "Brevik is the largest island of the lake.", "Brevik is the smallest island of the lake."),
    Pair(
        "side",
        "The village lies on the northern shore of the lake.",
        "The village lies on the southern shore of the lake.",
    ),
    Pair("open or closed", "The path over the pass is open in winter.", "The path over the pass is closed in winter."),
    Pair(
        "public or private", "Holt College is a public school in Brevik.", "Holt College is a private school in Brevik."
    ),
    # negation
    Pair("negation", "The mill is open to visitors on Sundays.", "The mill is not open to visitors on Sundays."),
    Pair("never", "Karl Weiss visited the island of Tarn.", "Karl Weiss never visited the island of Tarn."),
    Pair("no longer in use", "The lift bridge is in use.", "The lift bridge is not in use."),
    # inside longer texts
    Pair(
        "one fact changed in a passage",
        "Holt Mill is a tower mill in Tarn, Kent. It was built in 1812 for the Parrish "
        "family. The mill worked by wind until 1910 and has four floors.",
        "Holt Mill is a tower mill in Tarn , Kent . [ 1 ] It was built in 1842 for the "
        "Parrish family . The mill worked by wind until 1910 and has four floors .",
    ),
    Pair(
        "said otherwise in a passage",
        "Holt Mill stands in Tarn, Kent. Its builder was John Parrish, a millwright of "
        "Ashford. The tower is 21 m tall.",
        "In Tarn, a village of Kent, stands Holt Mill. John Parrish, millwright of "
        "Ashford, raised it. The tower has a height of 35 m.",
        "Holt Mill",
        "Holt Mill",
    ),
    Pair(
        "two accounts of a dam",
        "The Aswan High Dam is an embankment dam across the Nile in Egypt, 3,830 metres long and 111 metres "
        "high. Construction began in 1960 with Soviet help and the dam was completed in 1970. Its reservoir, "
        "Lake Nasser, reaches into Sudan. Twelve turbines give the power station a capacity of 2,100 MW.",
        "Work on the High Dam at Aswan was paid for in part by the Soviet Union. Begun in 1960, it was "
        "finished in 1968. Behind it the Nile backs up into Lake Nasser, one of the largest man-made lakes, "
        "which stretches across the border with Sudan. The dam's power plant has a capacity of 2,100 MW.",
    ),
    Pair(
        "two accounts of a mountain",
        "Mount Everest, on the border of Nepal and China, is the highest mountain above sea level. Its summit "
        "stands at 8,849 m. Edmund Hillary and Tenzing Norgay made the first confirmed ascent on 29 May 1953.",
        "The first people known to have reached the top of Mount Everest were Tenzing Norgay and Edmund "
        "Hillary, on 29 May 1953. The mountain rises to 8,611 m on the frontier between China and Nepal.",
    ),
    Pair(
        "two lives of one person",
        "Marie Curie was born in Warsaw on 7 November 1867. With Pierre Curie she discovered polonium and "
        "radium. She received the Nobel Prize in Physics in 1903 and the Nobel Prize in Chemistry in 1911. "
        "She died in 1934 in Passy.",
        "Born in Warsaw in 1867, Marie Curie moved to Paris to study physics. Together with her husband "
        "Pierre she discovered radium and polonium. The Nobel Prize in Chemistry followed in 1911. She died "
        "in 1938.",
    ),
    Pair(
        "a leaflet and a guide",
        "Beacon Mill at Holm is a smock mill. It was built in 1869 by the millwright John Parrish for Thomas "
        "Reed. The mill has four floors and stands 14 m tall. It stopped working in 1921 and is owned by the "
        "county trust.",
        "Visitors to Holm should not miss Beacon Mill. The county trust, which owns it, opens the mill on "
        "Sundays. John Parrish, a millwright, built it for the Reed family in 1878. Climb its four floors for "
        "a view over the village.",
    ),
    Pair(
        "two portraits of a company",
        "Norvik Systems was founded in 1998 in Tromsø by Eva Lind and Karl Weiss. The company makes sonar "
        "equipment and had 420 employees in 2019. Its headquarters moved to Oslo in 2011.",
        "Sonar maker Norvik Systems, which Karl Weiss and Eva Lind established in 2001, is based in Oslo. It "
        "began in a garage in Tromsø. In 2019 it employed 420 people.",
    ),
    # Chinese
    Pair("chinese year", "大桥于1968年建成。", "大桥于1970年建成。"),
    Pair("chinese number", "该市人口为120万人。", "该市人口为350万人。"),
    Pair("chinese place", "这座寺庙位于北京西郊的山上。", "这座寺庙位于上海西郊的山上。"),
)
