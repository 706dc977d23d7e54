"""Follow-up questions in Chinese: pronouns that point back, and a subject that is left out, as it often is.

"那它是什么时候建成的？" after "哈洛桥有多长？" is "哈洛桥是什么时候建成的？", and so is "什么时候建成的？".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memory_bank.agents.remember import PastTask
from memory_bank.engines.offline.language.chinese_names import chinese_names, tagged_words
from memory_bank.modules.sentences import sentences

_LEADING = re.compile(r"(?:那么|那(?![个座家本条次里儿边些位天年是])|然后|还有|另外|而且|再说|对了|好的?|请问)[，,\s]*")
_SHE = "他们|她们|(?<![其吉])他|她"
_IT = (
    "它们|它|(?<![尤极])其(?![他实中余])|[这那](?:个|座|家|本|条|次|些|位)?(?=是|有|呢|怎|的|什|多|在|为|要|会|[？?]|$)"
)
_THERE = "[那这](?:里|儿|边)"
_PRONOUN = re.compile(f"(?P<there>{_THERE})|(?P<she>{_SHE})|(?P<it>{_IT})")
_ABOUT = re.compile(r"((?:(?!什么|哪|谁|多|几|怎|何|吗).)+?)呢[？?。]*$")
_NO_NOUNS = frozenset("时候 多长 多大 多高 多深 多远 多重 多久 钱 人 东西 事 事情 地方 意思 时 者 们 话".split())
_EVENTS = frozenset(
    "上映 修建 停业 关闭 出版 出生 创办 创建 创立 动工 去世 发现 发行 启用 奠基 始建 完工 "
    "建成 建立 开业 开工 开幕 开放 开馆 成立 生于 竣工 落成 通航 通车 逝世".split()
)
"""What happens to a thing, such as 通车: no thing, whatever the tagger takes it for."""
_AFTER_NOUN = re.compile(r"(?:是|有|在|的|多|叫|怎|呢|为什么|什么时候|几|哪|谁|由|何)")
_ENDING = re.compile("[的了吗呢啊？?。！!]+$")
_PREDICATE = re.compile(
    "是|有多|有几|有什么|多少|多[长高大深远宽重久]|什么|何|哪|在|为什么|怎|如何|叫|由|被|谁|几|住(?![宅处房])|呢|吗"
    "|要(?!求)|会(?!议)|能(?![力源])|可以|已经|还|喜欢"
)
_ASKS = re.compile("什么|哪|谁|多|几|怎|何|吗|[？?]$")
_OPENING = re.compile("^(?:请问|你知道|告诉我|我们|咱们|上次|昨天|今年|去年)+")
_ASKED_OF = re.compile(r"谁[\u3400-\u9fff]{1,3}?了(?P<thing>[\u3400-\u9fff《》]{2,12})[？?。]")
_WHO = re.compile("谁|什么人|哪位")
_WHO_IS = re.compile("[^的]+是谁[？?]?$")
"""Asks of somebody who is named."""
_WHERE = re.compile("哪里|哪儿|在哪|什么地方")
_ASPECT = re.compile(
    "(?P<thing>.+)的(?:名字|名称|价格|费用|预算|长度|高度|面积|地址|地点|时间|日期|截止日期|状态|进展|结果)"
)
_ROLE = re.compile("(?P<thing>.+)的(?:设计师|建筑师|作者|导演|创始人|主人|老板|校长|馆长|妻子|丈夫|儿子|女儿)")
"""Somebody, by what he is to a thing: "it" means the thing."""
_LONGEST_NAME = 12
"""Signs of an answer that is no more than a name."""
_WHICH = re.compile("哪[家个座本部位条种款间所]")
_TIME = re.compile(
    "今年|去年|明年|前年|本月|这个月|上个月|下个月|本周|这周|上周|下周|今天|明天|昨天|(?:周|星期)[一二三四五六日天]"
    r"|\d+年|\d+月"
)
_ASKS_FOR = {"she": _WHO, "there": _WHERE, "it": _WHICH}
"""Questions whose answer a pronoun means."""
_REACH = 3


def vague(question: str) -> bool:
    """Whether a question does not stand alone: it points to what was said before, or names nothing."""
    asked = _plain(question)
    pronoun = _PRONOUN.search(asked)
    if pronoun is not None and not _names_something(asked[: pronoun.start()]):
        return True
    return _ABOUT.match(asked) is not None or not _names_something(asked)


def _names_something(text: str) -> bool:
    """Whether a text has a noun: tagged as one, or standing where one stands, as a verb's name may."""
    words = [*tagged_words(_ENDING.sub("", text)), ("", "x")]
    for (word, tag), (after, _tag) in pairwise(words):
        if word in _NO_NOUNS | _EVENTS or _PRONOUN.fullmatch(word) or tag[0] in "rmxucpdyf":
            continue
        if tag[0] in "njls" or tag == "eng" or (tag[0] == "v" and len(word) > 1 and _AFTER_NOUN.match(after)):
            return True
    return False


def standing_alone(question: str, before: Sequence[PastTask]) -> str:
    """The question as it reads by itself. `before` are the tasks before it, whose questions stand alone already."""
    if not before or not vague(question):
        return question
    asked = _resolved(_plain(question), before)
    about = _ABOUT.match(asked)
    if about and (_TIME.fullmatch(about[1]) or _names_something(f"{about[1]}是")):
        return _of_another(about[1], before) or question
    if asked != _plain(question):
        return asked
    topic = subject(before) if _ASKS.search(asked) else ""
    return f"{topic}{asked}" if topic else question


def _resolved(asked: str, before: Sequence[PastTask]) -> str:
    """The question with what its first pronoun means in its place, where that can be told."""
    pronoun = _PRONOUN.search(asked)
    meant = _meant(str(pronoun.lastgroup), before) if pronoun else ""
    return f"{asked[: pronoun.start()]}{meant}{asked[pronoun.end() :]}" if pronoun and meant else asked


def subject(before: Sequence[PastTask]) -> str:
    """What a conversation was last about; empty where that cannot be told."""
    for task in reversed(before[-_REACH:]):
        told = _told(task) if _WHICH.search(task.asked) else ""
        if topic := told or _topic(task.asked):
            return topic
    return ""


def _of_another(thing: str, before: Sequence[PastTask]) -> str:
    """The last question asked of another thing: "凯尔索桥呢？"; or another thing of the same: "预算呢？"."""
    last, topic = before[-1].asked, subject(before)
    if _TIME.fullmatch(thing):
        return _TIME.sub(thing, last, count=1) if _TIME.search(last) else f"{thing}{last}"
    whole = _front(last)
    if _ASPECT.fullmatch(whole) and not list(chinese_names(thing)):
        return f"{topic}的{thing}呢？"
    return last.replace(topic, thing, 1) if topic and topic in last else ""


def _meant(pronoun: str, before: Sequence[PastTask]) -> str:
    """What a pronoun means: in the last question, or in what was found where that was asked for."""
    for task in reversed(before[-_REACH:]):
        topic = _topic(task.asked)
        asks_for = _ASKS_FOR[pronoun].search(task.asked) and not _WHO_IS.match(task.asked)
        if asks_for or not topic:
            topic = _told(task) or topic
        elif pronoun == "it":
            of = _ROLE.fullmatch(topic)
            topic = of["thing"] if of else topic
        if topic:
            return topic
    return ""


def _told(task: PastTask) -> str:
    """The first name in what was found that was not in the question, or all of it where it is only a name."""
    spans = sentences(task.found)[:1]
    first = spans[0].of(task.found).strip("。. ") if spans else ""
    named = next((name for name in chinese_names(first) if name not in task.asked), "")
    is_name = len(first) <= _LONGEST_NAME and not re.search("[是在有了，,]", first)
    return named or (first if is_name else "")


def _topic(asked: str) -> str:
    """What a question is about: what stands before its predicate, without what is asked of it, or else a name."""
    front = _front(asked)
    aspect = _ASPECT.fullmatch(front)
    if front:
        return aspect["thing"] if aspect else front
    of = _ASKED_OF.search(asked)
    return next(chinese_names(asked), "") or (of["thing"] if of else "")


def _front(asked: str) -> str:
    """What stands before the predicate, where it names something."""
    said = _OPENING.sub("", _plain(asked))
    predicate = _PREDICATE.search(said, 1)
    front = _before_verb(said[: predicate.start()].strip("，, 的")) if predicate else ""
    named = front and _names_something(f"{front}是") and not _PRONOUN.search(front) and not _WHO.match(front)
    return front if named else ""


def _before_verb(front: str) -> str:
    """The words before a verb that no noun follows: of "小李吃素" the first, of "项目的截止日期" all."""
    words = tagged_words(front)
    for place, (_word, tag) in enumerate(words):
        noun_follows = words[place - 1][0] == "的" or any(after[0] in "nt" for _, after in words[place:])
        if place and tag == "v" and not noun_follows:
            return "".join(word for word, _ in words[:place]).removesuffix("的")
    return "" if front.startswith("在") else front


def _plain(question: str) -> str:
    said = "".join(question.split())
    leading = _LEADING.match(said)
    return said[leading.end() :] if leading and len(leading[0]) < len(said) - 1 else said
