"""Words of which one thing can be only one: small families of exclusive words, and pairs of opposites."""

from __future__ import annotations

from memory_bank.engines.offline.language.tokens import stem

# Within a row, words joined by "/" may hold of one thing together; words of different groups may not.
_FAMILIES = (
    "red purple/violet green/olive blue yellow/golden/gold orange brown black/dark white/pale pink grey/gray",
    "north/northern south/southern",
    "east/eastern west/western",
    "northeast/northeastern southwest/southwestern",
    "northwest/northwestern southeast/southeastern",
    "american/america british/britain/english/england/scottish/scotland/welsh/wales/uk canadian/canada/québécois "
    "australian/australia french/france german/germany italian/italy spanish/spain japanese/japan chinese/china "
    "indian/india russian/russia/soviet mexican/mexico brazilian/brazil swedish/sweden norwegian/norway danish/denmark "
    "dutch/netherlands belgian/belgium polish/poland irish/ireland turkish/turkey greek/greece korean/korea "
    "israeli/israel egyptian/egypt swiss/switzerland austrian/austria portuguese/portugal finnish/finland "
    "hungarian/hungary czech ukrainian/ukraine romanian/romania iranian/iran argentine/argentina chilean/chile "
    "cuban/cuba thai/thailand vietnamese/vietnam indonesian/indonesia nigerian/nigeria kenyan/kenya jamaican/jamaica "
    "pakistani/pakistan bangladeshi/bangladesh armenian/armenia albanian/albania algerian/algeria bolivian/bolivia "
    "bulgarian/bulgaria cambodian/cambodia colombian/colombia croatian/croatia ecuadorian/ecuador estonian/estonia "
    "ethiopian/ethiopia ghanaian/ghana icelandic/iceland iraqi/iraq kazakh/kazakhstan latvian/latvia "
    "lebanese/lebanon libyan/libya lithuanian/lithuania malaysian/malaysia moroccan/morocco nepalese/nepal "
    "peruvian/peru philippine/philippines/filipino saudi senegalese/senegal serbian/serbia singaporean/singapore "
    "slovak/slovakia slovenian/slovenia somali/somalia sudanese/sudan syrian/syria tunisian/tunisia ugandan/uganda "
    "uruguayan/uruguay venezuelan/venezuela zambian/zambia zimbabwean/zimbabwe",
    "comedy drama horror documentary thriller western/westerns animated/animation musical",
    "film/movie album/ep/lp novel/book song/single play painting/sculpture",
    "football/soccer rugby cricket basketball baseball hockey tennis golf swimming skating boxing volleyball badminton",
    "singer/vocalist/musician/mezzo-soprano/soprano/tenor politician footballer/player painter/sculptor "
    "physicist/chemist/biologist/scientist lawyer/judge soldier/general farmer architect/engineer priest/vicar/bishop",
    "rock jazz hip-hop/rap country classical metal reggae folk opera",
    "guitarist drummer pianist saxophonist bassist violinist trumpeter keyboardist cellist flautist/flutist harpist "
    "organist clarinettist/clarinetist violist oboist",
    "midfielder defender goalkeeper/keeper forward/striker/winger",
    "goalkeeper pitcher quarterback",
    "republican democratic/democrat labour conservative liberal/socialist communist",
    "catholic protestant/lutheran/anglican/methodist/baptist jewish muslim/islamic hindu buddhist orthodox",
    "monday tuesday wednesday thursday friday saturday sunday",
    "wood/wooden/timber brick stone/granite/marble/limestone steel/iron concrete",
    "husband wife",
    "brother sister",
    "son daughter",
    "father mother",
    "male/man/men/boy female/woman/women/girl",
    "king/prince queen/princess",
    "private public",
    "largest/biggest smallest",
    "highest/tallest lowest/shortest",
    "longest shortest",
    "oldest youngest/newest",
    "best/greatest worst",
    "earlier later",
    "real/factual fictional/imaginary/mythical",
    "professional amateur",
    "permanent temporary",
    "formed disbanded/dissolved/collapsed",
    "most least/fewest",
    "first last/final",
    "higher/taller lower/shorter",
    "increase/rise decrease/fall/decline",
    "increased/rose/grew decreased/fell/declined/dropped/shrank",
    "above below",
    "before after",
    "opened/open closed/shut",
    "started/began/begun ended/finished/stopped/ceased",
    "won lost",
    "alive/living dead/deceased",
    "success/successful/succeeded failure/unsuccessful/failed",
    "guilty/convicted innocent/acquitted",
    "accepted/approved rejected/declined/refused",
    "allowed/permitted/legal banned/forbidden/prohibited/illegal",
    "true false",
    "present absent",
    "married unmarried/single/bachelor",
    "positive/favourable/favorable/acclaim negative/unfavourable/unfavorable",
    "left right",
    "upper lower",
    "inner outer",
    "urban rural",
    "edible poisonous/toxic",
    "salty freshwater",
    "always never",
    "winter summer spring autumn",
    "morning evening night",
    "major minor",
    "victory defeat",
    "attack defend/defence/defense",
    "arrived departed/left",
    "buy/bought/purchased sell/sold",
    "entrance exit",
    "employed unemployed",
    "hot cold",
    "high low",
    "round/circular square triangular rectangular oval hexagonal octagonal",
    "small/tiny/little large/big/huge",
    "young old",
    "modern ancient",
    "rare common",
    "clean dirty",
    "quiet noisy/loud",
    "shallow deep",
    "narrow wide/broad",
    "heavy light",
    "strong weak",
    "rich/wealthy poor",
    "fast/quick slow",
    "full empty",
    "wet/humid dry/arid",
    "hard soft",
    "thick thin",
    "rough smooth",
    "permanent temporary",
    "active extinct/dormant/inactive",
    "vertical horizontal",
    "voluntary compulsory/mandatory",
    "native/indigenous introduced",
    "nocturnal diurnal",
    "safe dangerous/unsafe",
    "visible invisible",
    "possible impossible",
    "complete incomplete/unfinished",
    "civilian military",
    "indoor outdoor",
    "top bottom",
    "front rear/back",
    "cheap expensive",
    "early late",
    "clockwise anticlockwise/counterclockwise",
    "free/gratis paid",
    "solid liquid gas",
    "deciduous evergreen",
    "herbivore carnivore omnivore",
)


def _table() -> dict[str, dict[int, int]]:
    table: dict[str, dict[int, int]] = {}
    for family, row in enumerate(_FAMILIES):
        for group, words in enumerate(row.split()):
            for word in words.split("/"):
                table.setdefault(stem(word), {})[family] = group
    return table


_GROUPS = _table()
_NATIONALITIES = next(iter(_GROUPS[stem("american")]))


def has_opposite(word: str) -> bool:
    """Whether a stem belongs to a family of exclusive words."""
    return word in _GROUPS


def exclusive(a: str, b: str) -> bool:
    """Whether two stems exclude each other: both of one family, in different groups of it."""
    left, right = _GROUPS.get(a), _GROUPS.get(b)
    if not left or not right:
        return False
    return any(family in right and right[family] != group for family, group in left.items())


def is_demonym(word: str) -> bool:
    """Whether a stem names a nationality or its country."""
    return _NATIONALITIES in _GROUPS.get(word, {})


def excluding(a: frozenset[str], b: frozenset[str]) -> tuple[str, str] | None:
    """A stem of each of two descriptions that exclude each other, or None.

    A description may name several groups of a family ("British-American"): they must have none in common.
    """
    left, right = _by_family(a), _by_family(b)
    for family in sorted((left.keys() & right.keys()) - _OF_SOMETHING):
        if not left[family].keys() & right[family].keys():
            return min(left[family].values()), min(right[family].values())
    return None


# Families that say nothing without what they refer to: "the largest city", "the smallest island".
_OF_SOMETHING = {
    next(iter(_GROUPS[stem(word)]))
    for word in (
        "north east largest highest longest oldest best most first higher above before earlier left upper".split()
    )
}


def _by_family(stems: frozenset[str]) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    for word in sorted(stems):
        for family, group in _GROUPS.get(word, {}).items():
            found.setdefault(family, {}).setdefault(group, word)
    return found


def compatible(a: str, b: str) -> bool:
    """Whether two stems stand in one group of a family: both may hold of one thing, as "singer" and "musician"."""
    left, right = _GROUPS.get(a, {}), _GROUPS.get(b, {})
    return any(right.get(family) == group for family, group in left.items())


def is_relative(word: str) -> bool:
    """Whether a stem says nothing without what it refers to: "largest", "first", "before"."""
    return bool(_OF_SOMETHING & _GROUPS.get(word, {}).keys())


def nation(word: str) -> int | None:
    """A number for the nation that a stem names, as a country or an adjective; None for any other word."""
    return _GROUPS.get(word, {}).get(_NATIONALITIES)
