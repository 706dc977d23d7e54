"""Classify questions of general knowledge: those with the same answer whoever asks.

Such a question has a typical form, and every content word of it is in the vocabulary below: countries, languages and
currencies as the Unicode Consortium lists them, and words of nature, science, history and the arts. A thing that is
only referred to ("the lake", "that year", "it") is personal. So a question with a name or thing outside the vocabulary
is looked for in memory, as is every doubtful one: to miss a question of general knowledge costs a search, to take a
personal question for one costs the answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from babel import Locale

from memory_bank.judgement.coreference.question import is_follow_up
from memory_bank.text.tokens import holds_chinese, tokenize

LONGEST = 120
"""Most characters of a question of general knowledge: a longer one is taken for personal."""

_FORM = re.compile(
    r"(?:define|explain|describe|what|what's|which|in (?:what|which)|why|when|where|where's|is|are|do|does|can"
    r"|how (?:many|much|far|long|old|hot|cold|big|large|high|deep|tall|fast|heavy|do|does|did|is|are)"
    r"|who (?:wrote|painted|composed|invented|discovered|directed|sculpted|is the|was the)|who's the)\b",
    re.IGNORECASE,
)
_OFTEN_PERSONAL = re.compile(r"(?:when|where|where's|how many|is there|are there|was there)\b", re.IGNORECASE)
"""Questions that are as often about one's own things: these need a famous name, or a word of `_IMPERSONAL`."""
_IMPERSONAL = re.compile(
    r"\b(?:Earth|solar|universe|world|human|spring|summer|autumn|winter|an?|does|continents?|oceans?|planets?|countries)\b"
)
_MAY_BE_A_TRIP = re.compile(r"(?:how (?:much|long|far)|when is)\b", re.IGNORECASE)
"""With a country alone these ask about one's own trip: "How much was Japan?"."""
_ARITHMETIC = re.compile(r"\b(?:root|cube|times|plus|minus|divided|percent|sum|degrees?)\b", re.IGNORECASE)
_ASKS_WORD_MEANING = re.compile(
    r"(?:[Dd]efine|[Ww]hat does|[Ww]hat(?: is|'s) the meaning of)(?: the (?:word|term))? [\"“'‘]?"
    r"(?!(?:it|this|that|he|she|they|you|one)\b)[a-z][a-z-]+[\"”'’]?(?: mean)?[?.!]*"
)
_REFERENCE = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|here|another|others?|one)\b"
    r"|(?<!\bis )(?<!\bare )\bthere\b",
    re.IGNORECASE,
)
_DEFINITE_ARTICLE = re.compile(r"(?<!invented )(?<!discovered )\bthe\b", re.IGNORECASE)
_AFTER_NOUN_PHRASE = frozenset("of between for in on is are and from do does did have has".split())
_COMPLETING_PREPOSITIONS = frozenset({"of", "between", "for"})
_SUPERLATIVES = frozenset(
    "most least largest biggest highest longest deepest smallest tallest oldest fastest hottest coldest".split()
)
_SCIENCE_WORD = re.compile(
    r"\w{2,}(?:olog|onom|ograph|ometri|synthesi|itis|ism|istri|tropi|dynam|mathemat|physic)\w{0,2}"
)

_QUESTION_WORDS = """
many much far long old hot cold big large high deep tall fast heavy define explain describe mean meaning word term call
name kind type difference example year century number amount average first second third main famous official largest
biggest highest longest deepest smallest tallest oldest fastest hottest coldest least say write wrote written invent
discover paint compose make made form begin began start end fall fell live consist contain cause take spoken speak use
work know tell history origin past tense spell times plus minus divided point state number
"""
_VOCABULARY = """
opposite synonym plural singular capital population currency area country continent ocean sea river lake mountain
desert island volcano city language people president king queen emperor minister prime flag border world sun moon earth
star planet solar system galaxy universe comet asteroid sky cloud rain rainbow snow thunder lightning wind storm
weather climate season spring summer autumn winter tide earthquake day leap water ice fire air light sound heat cat dog
bird fish horse cow whale shark spider snake bee ant butterfly elephant lion tiger crocodile alligator dinosaur mouse
mammal insect animal plant tree leaf leaves flower fruit vegetable tomato banana apple seed leg wing eye egg colour
color blue red green yellow black white salty purr change science speed velocity mass weight distance diameter radius
temperature pressure density volume energy force gravity inertia relativity theory law evolution atom atomic molecule
electron proton neutron nucleus element chemical formula symbol reaction acid base metal gold silver iron copper lead
oxygen hydrogen carbon nitrogen helium salt sugar ethanol alcohol boiling melting freezing degree celsius fahrenheit
dna rna gene cell protein virus bacterium bacteria vaccine antibiotic penicillin human body bone heart brain blood lung
liver kidney muscle skin tooth teeth sleep dream hole square root cube pi triangle circle angle sum percent kilometre
kilometer mile metre meter inflation recession democracy machine learning artificial intelligence neural network
computer internet algorithm telephone bulb engine steam refrigerator microwave television radio battery magnet
telescope microscope camera compass wheel printing press bicycle airplane rocket mortgage novel poem symphony opera war
revolution empire renaissance
"""
_UNIQUE = frozenset(tokenize("sun moon earth world universe sky sea solar internet equator heart brain liver human"))
_FAMOUS_NAMES = """
Atlantic|Pacific|Indian Ocean|Arctic|Nile|Amazon|Mount Everest|Everest|Sahara|Alps|Himalayas|Danube|Rhine|Mississippi
Great Wall of China|Eiffel Tower|Colosseum|Louvre|London|Berlin|Rome|Tokyo|Beijing|Moscow|Vienna|New York|Milky Way
Mars|Saturn|Uranus|Neptune|Pluto|Jupiter|First World War|Second World War|World War II|World War I|World War 2
World War 1|Cold War|French Revolution|American Revolution|Russian Revolution|Industrial Revolution|Roman Empire
Ottoman Empire|Middle Ages|Berlin Wall|Declaration of Independence|Black Death|Ninth Symphony|Fifth Symphony
Hamlet|Macbeth|Othello|King Lear|Romeo and Juliet|The Odyssey|Odyssey|Iliad|Don Quixote|Ulysses|Divine Comedy
War and Peace|Anna Karenina|Moby Dick|Frankenstein|Pride and Prejudice|The Great Gatsby|Mona Lisa|Starry Night|Guernica
The Last Supper|The Magic Flute|Shakespeare|Goethe|Beethoven|Mozart|Picasso|Leonardo da Vinci|Michelangelo|Einstein
Isaac Newton|Charles Darwin|Galileo|Marie Curie|Napoleon|Julius Caesar|Christopher Columbus|Turing machine|Big Bang
"""
_ABBREVIATION = re.compile(r"\b(?:the )?(?:US|USA|UK|EU|UN)\b")
_AMBIGUOUS_COUNTRIES = frozenset({"jordan", "chad", "georgia", "jersey", "guernsey", "guinea", "mali"})
"""Names of countries that are as often the name of a person or of something else."""

_CHINESE_FORM = re.compile(
    "什么|哪|多少|多[大长高远深宽重快久]|几|怎么|如何|吗|区别|^解释|^定义|^介绍|谁(?=写|画|发明|发现|提出)"
    "|(?:作者|发明者|发现者)是谁"
)
_CHINESE_REFERENCE = re.compile(r"[它他她其此该这那]")
_CHINESE_SCIENCE = re.compile(
    r"(?:什么是|解释|定义)[\u3400-\u9fff]{1,5}(?:学|论|定律|定理|主义|作用|效应)$|谁发明了[\u3400-\u9fff]{1,5}$"
    r"|[\u3400-\u9fff]{1,5}是谁发明的$"
)
_CHINESE_FRAGMENT_START = re.compile("(?:什么|哪个?|多少|几个?)(?!是)")
"""Beginning of a question that may be a fragment of one: "什么颜色？"."""
_CHINESE_QUESTION_WORDS = """
什么 哪里 哪个 哪座 哪颗 哪条 哪年 哪一年 哪些 哪国 哪 谁 多少 多大 多长 多高 多深 多远 多重 多快 多久 几 怎么 怎样
如何 为什么 吗 呢 的 是 有 在 了 和 与 由 会 能 里 上 中 之间 离 到 做 给 下 一下 为 叫 叫做 叫什么 说 用 使用 写 画
发明 发现 提出 意思 含义 定义 解释 介绍 区别 不同 起源 历史 时候 何时 年 开始 结束 形成 产生 工作 原理 起作用 作用 分为
包括 最 最大 最高 最长 最深 最小 最快 最古老 大 高 长 深 远 快 重 第一 第二 个 座 条 颗 部 本 次 种 级 天 月 小时 人
名称 名字 作者
"""
_CHINESE_VOCABULARY = """
首都 人口 货币 面积 国家 大陆 大洲 洲 海洋 海 河 河流 湖 山 山峰 沙漠 岛屿 火山 城市 语言 官方语言 总统 国王 皇帝 首相
世界 世界上 全世界 大西洋 太平洋 印度洋 北冰洋 尼罗河 亚马逊河 珠穆朗玛峰 撒哈拉沙漠 长江 黄河 长城 伦敦 巴黎 柏林 罗马
东京 北京 太阳 月亮 月球 地球 行星 恒星 太阳系 银河系 宇宙 火星 金星 水星 木星 土星 天空 云 雨 雪 彩虹 雷 闪电 天气
气候 季节 春天 夏天 秋天 冬天 潮汐 地震 水 冰 火 空气 光 声音 鲸鱼 蜘蛛 蛇 蜜蜂 蝴蝶 大象 恐龙 哺乳动物 昆虫 动物 植物
蓝色 红色 绿色 颜色 科学 速度 光速 音速 质量 重量 距离 直径 半径 温度 压力 密度 能量 力 重力 引力 惯性 相对论 进化论
原子 分子 电子 元素 化学 化学式 公式 符号 反应 酸 碱 金属 金 银 铁 铜 氧 氢 碳 氧气 氢气 盐 糖 酒精 沸点 熔点 冰点 沸腾
结冰 融化 度 摄氏度 基因 细胞 蛋白质 病毒 细菌 疫苗 抗生素 青霉素 人体 骨头 心脏 大脑 血液 平方根 圆周率 三角形 圆 熵
通货膨胀 民主 机器学习 人工智能 互联网 算法 蒸汽机 望远镜 指南针 火箭 哈姆雷特 西游记 红楼梦 三国演义 水浒传 堂吉诃德
莎士比亚 蒙娜丽莎 贝多芬 莫扎特 爱因斯坦 牛顿 达尔文 拿破仑 第一次世界大战 第二次世界大战 法国大革命 罗马帝国 文艺复兴
工业革命 光合作用
"""


def is_general_knowledge(question: str, *, told: bool = False) -> bool:
    """Whether a question, without its courtesies, is one of general knowledge.

    `told` says that "tell me" stood before it: then it need not have the form of a question.
    """
    if len(question) > LONGEST:
        return False
    if holds_chinese(question):
        return _is_general_in_chinese(re.sub(r"[\s《》“”「」\"，,。？?！!]", "", question))
    if _ASKS_WORD_MEANING.fullmatch(question):
        return True
    if not (told or _FORM.match(question)):
        return False
    generic = _famous_names().sub("Earth", _ABBREVIATION.sub("Earth", question))
    if _OFTEN_PERSONAL.match(generic) and not _IMPERSONAL.search(generic):
        return False
    # "the" may refer to a thing that not everybody knows: "the lake", "the largest", "the hotel"
    things = (generic[match.end() :].lower() for match in _DEFINITE_ARTICLE.finditer(generic))
    if _REFERENCE.search(generic) or not all(map(_is_unique, things)) or not _is_in_vocabulary(generic):
        return False
    return told or not is_follow_up(question)


def _is_in_vocabulary(question: str) -> bool:
    """Whether all words are in the vocabulary, and at least one is more than a question word."""
    tokens = set(tokenize(question))
    if _ARITHMETIC.search(question):
        tokens = {token for token in tokens if not token.isdigit()} | {"sum"}
    content = tokens - _tokens(_QUESTION_WORDS)
    if content <= {"earth"} and _MAY_BE_A_TRIP.match(question):
        return False
    return bool(content) and all(token in _tokens(_VOCABULARY) or _SCIENCE_WORD.fullmatch(token) for token in content)


def _is_unique(after: str) -> bool:
    """Whether the words after "the" mean the same to everybody: "sky", "capital of …", "largest ocean in …"."""
    words = re.findall(r"[a-z0-9-]+", after)
    end = next((place for place, word in enumerate(words) if word in _AFTER_NOUN_PHRASE), len(words))
    phrase, follows = words[:end], words[end] if end < len(words) else ""
    unique = not _UNIQUE.isdisjoint(tokenize(" ".join(phrase)))
    if unique or follows in _COMPLETING_PREPOSITIONS or phrase[:1] == ["most"]:
        return True
    return follows in ("in", "on") and not _SUPERLATIVES.isdisjoint(phrase)


def _is_general_in_chinese(question: str) -> bool:
    if _CHINESE_REFERENCE.search(question):
        return False
    if _CHINESE_SCIENCE.match(question):
        return True
    if not _CHINESE_FORM.search(question):
        return False
    question_words, vocabulary = frozenset(_CHINESE_QUESTION_WORDS.split()), _chinese_vocabulary()
    fragment_start = _CHINESE_FRAGMENT_START.match(question)
    if fragment_start and question[fragment_start.end() :] in vocabulary:
        return False
    return _consists_of(question, question_words | vocabulary) and not _consists_of(question, question_words)


def _consists_of(text: str, words: frozenset[str]) -> bool:
    """Whether a text without spaces can be split into such words."""
    reachable = {0}
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - 12), end)  # no word is longer
        if any(start in reachable and text[start:end] in words for start in starts):
            reachable.add(end)
    return len(text) in reachable


@lru_cache(maxsize=4)
def _tokens(words: str) -> frozenset[str]:
    return frozenset(tokenize(words))


@lru_cache(maxsize=1)
def _famous_names() -> re.Pattern[str]:
    """A pattern for names that everybody knows, the longest first."""
    names = {name for name in _unicode_names("en") if name.casefold() not in _AMBIGUOUS_COUNTRIES and len(name) > 2}
    names |= {name for line in _FAMOUS_NAMES.strip().splitlines() for name in line.split("|")}
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"\b(?:the )?(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _chinese_vocabulary() -> frozenset[str]:
    return frozenset(_CHINESE_VOCABULARY.split()) | {name for name in _unicode_names("zh") if len(name) > 1}


def _unicode_names(language: str) -> set[str]:
    """Names of countries, languages and currencies."""
    locale = Locale(language)
    return {*locale.territories.values(), *locale.languages.values(), *locale.currencies.values()}
