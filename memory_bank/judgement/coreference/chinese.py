"""Follow-up questions in Chinese: resolve pronouns, and add a subject that is left out, as it often is.

After "哈洛桥有多长？", "那它是什么时候建成的？" becomes "哈洛桥是什么时候建成的？", and "什么时候建成的？" becomes
"哈洛桥什么时候建成的？".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memory_bank.agents.remember import PastTask
from memory_bank.text.chinese_names import chinese_names, tagged_words
from memory_bank.text.sentences import sentences

_LEADING = re.compile(r"(?:那么|那(?![个座家本条次里儿边些位天年是])|然后|还有|另外|而且|再说|对了|好的?|请问)[，,\s]*")
_PERSON = "他们|她们|(?<![其吉])他|她"
_THING = (
    "它们|它|(?<![尤极])其(?![他实中余])|[这那](?:个|座|家|本|条|次|些|位)?(?=是|有|呢|怎|的|什|多|在|为|要|会|[？?]|$)"
)
_PLACE = "[那这](?:里|儿|边)"
_PRONOUN = re.compile(f"(?P<there>{_PLACE})|(?P<she>{_PERSON})|(?P<it>{_THING})")
_WHAT_ABOUT = re.compile(r"((?:(?!什么|哪|谁|多|几|怎|何|吗).)+?)呢[？?。]*$")
_NOT_NOUNS = frozenset("时候 多长 多大 多高 多深 多远 多重 多久 钱 人 东西 事 事情 地方 意思 时 者 们 话".split())
_EVENTS = frozenset(
    "上映 修建 停业 关闭 出版 出生 创办 创建 创立 动工 去世 发现 发行 启用 奠基 始建 完工 "
    "建成 建立 开业 开工 开幕 开放 开馆 成立 生于 竣工 落成 通航 通车 逝世".split()
)
"""Events that happen to a thing, such as 通车: they are not nouns, whatever the tagger says."""
_AFTER_NOUN = re.compile(r"(?:是|有|在|的|多|叫|怎|呢|为什么|什么时候|几|哪|谁|由|何)")
_ENDING = re.compile("[的了吗呢啊？?。！!]+$")
_PREDICATE = re.compile(
    "是|有多|有几|有什么|多少|多[长高大深远宽重久]|什么|何|哪|在|为什么|怎|如何|叫|由|被|谁|几|住(?![宅处房])|呢|吗"
    "|要(?!求)|会(?!议)|能(?![力源])|可以|已经|还|喜欢"
)
_QUESTION_WORD = re.compile("什么|哪|谁|多|几|怎|何|吗|[？?]$")
_OPENING = re.compile("^(?:请问|你知道|告诉我|我们|咱们|上次|昨天|今年|去年)+")
_WHO_DID = re.compile(r"谁[\u3400-\u9fff]{1,3}?了(?P<thing>[\u3400-\u9fff《》]{2,12})[？?。]")
_WHO = re.compile("谁|什么人|哪位")
_WHO_IS = re.compile("[^的]+是谁[？?]?$")
"""Asks who a named person is."""
_WHERE = re.compile("哪里|哪儿|在哪|什么地方")
_ASPECT = re.compile(
    "(?P<thing>.+)的(?:名字|名称|价格|费用|预算|长度|高度|面积|地址|地点|时间|日期|截止日期|状态|进展|结果)"
)
_ROLE = re.compile("(?P<thing>.+)的(?:设计师|建筑师|作者|导演|创始人|主人|老板|校长|馆长|妻子|丈夫|儿子|女儿)")
"""A person by their role for a thing: a later "it" means the thing."""
_LONGEST_NAME = 12
"""Most characters of an answer that is only a name."""
_WHICH = re.compile("哪[家个座本部位条种款间所]")
_TIME = re.compile(
    "今年|去年|明年|前年|本月|这个月|上个月|下个月|本周|这周|上周|下周|今天|明天|昨天|(?:周|星期)[一二三四五六日天]"
    r"|\d+年|\d+月"
)
_ANSWERED_BY = {"she": _WHO, "there": _WHERE, "it": _WHICH}
"""For each kind of pronoun, the questions whose answer it means."""
_REACH = 3


def is_follow_up(question: str) -> bool:
    """Whether a question does not stand alone: it refers to something earlier, or names nothing."""
    plain = _plain(question)
    pronoun = _PRONOUN.search(plain)
    if pronoun is not None and not _has_noun(plain[: pronoun.start()]):
        return True
    return _WHAT_ABOUT.match(plain) is not None or not _has_noun(plain)


def _has_noun(text: str) -> bool:
    """Whether a text has a noun: a word tagged as one, or a verb in the position of one."""
    words = [*tagged_words(_ENDING.sub("", text)), ("", "x")]
    for (word, tag), (after, _tag) in pairwise(words):
        if word in _NOT_NOUNS | _EVENTS or _PRONOUN.fullmatch(word) or tag[0] in "rmxucpdyf":
            continue
        if tag[0] in "njls" or tag == "eng" or (tag[0] == "v" and len(word) > 1 and _AFTER_NOUN.match(after)):
            return True
    return False


def standing_alone(question: str, before: Sequence[PastTask]) -> str:
    """A follow-up rewritten to stand alone. `before` are the earlier tasks, whose questions stand alone already."""
    plain = resolved = _plain(question)
    if (pronoun := _PRONOUN.search(plain)) and (antecedent := _antecedent(str(pronoun.lastgroup), before)):
        resolved = f"{plain[: pronoun.start()]}{antecedent}{plain[pronoun.end() :]}"
    what_about = _WHAT_ABOUT.match(resolved)
    if what_about and (_TIME.fullmatch(what_about[1]) or _has_noun(f"{what_about[1]}是")):
        return _with_replacement(what_about[1], before) or question
    if resolved != plain:
        return resolved
    topic = subject(before) if _QUESTION_WORD.search(resolved) else ""
    return f"{topic}{resolved}" if topic else question


def subject(before: Sequence[PastTask]) -> str:
    """What a conversation was last about; empty where that cannot be told."""
    for task in reversed(before[-_REACH:]):
        found = _name_found(task) if _WHICH.search(task.asked) else ""
        if topic := found or _topic(task.asked):
            return topic
    return ""


def _with_replacement(thing: str, before: Sequence[PastTask]) -> str:
    """The last question about another thing ("凯尔索桥呢？"), or another aspect of the same thing ("预算呢？")."""
    last, topic = before[-1].asked, subject(before)
    if _TIME.fullmatch(thing):
        return _TIME.sub(thing, last, count=1) if _TIME.search(last) else f"{thing}{last}"
    if _ASPECT.fullmatch(_subject_phrase(last)) and not list(chinese_names(thing)):
        return f"{topic}的{thing}呢？"
    return last.replace(topic, thing, 1) if topic and topic in last else ""


def _antecedent(pronoun: str, before: Sequence[PastTask]) -> str:
    """What a pronoun means: in the last question, or in what was found where that was asked for."""
    for task in reversed(before[-_REACH:]):
        topic = _topic(task.asked)
        asks_for = _ANSWERED_BY[pronoun].search(task.asked) and not _WHO_IS.match(task.asked)
        if asks_for or not topic:
            topic = _name_found(task) or topic
        elif pronoun == "it":
            role = _ROLE.fullmatch(topic)
            topic = role["thing"] if role else topic
        if topic:
            return topic
    return ""


def _name_found(task: PastTask) -> str:
    """The first name in what was found that is not in the question, or all of it where it is only a name."""
    spans = sentences(task.found)[:1]
    first = spans[0].of(task.found).strip("。. ") if spans else ""
    new_name = next((name for name in chinese_names(first) if name not in task.asked), "")
    is_name = len(first) <= _LONGEST_NAME and not re.search("[是在有了，,]", first)
    return new_name or (first if is_name else "")


def _topic(asked: str) -> str:
    """What a question is about: the phrase before its predicate, without the aspect asked for, or else a name."""
    phrase = _subject_phrase(asked)
    aspect = _ASPECT.fullmatch(phrase)
    if phrase:
        return aspect["thing"] if aspect else phrase
    who_did = _WHO_DID.search(asked)
    return next(chinese_names(asked), "") or (who_did["thing"] if who_did else "")


def _subject_phrase(asked: str) -> str:
    """The words before the predicate, if they name something."""
    question = _OPENING.sub("", _plain(asked))
    predicate = _PREDICATE.search(question, 1)
    phrase = _before_verb(question[: predicate.start()].strip("，, 的")) if predicate else ""
    named = phrase and _has_noun(f"{phrase}是") and not _PRONOUN.search(phrase) and not _WHO.match(phrase)
    return phrase if named else ""


def _before_verb(phrase: str) -> str:
    """The words before a verb that no noun follows: of "小李吃素" the first, of "项目的截止日期" all."""
    words = tagged_words(phrase)
    for place, (_word, tag) in enumerate(words):
        noun_follows = words[place - 1][0] == "的" or any(after[0] in "nt" for _, after in words[place:])
        if place and tag == "v" and not noun_follows:
            return "".join(word for word, _ in words[:place]).removesuffix("的")
    return "" if phrase.startswith("在") else phrase


def _plain(question: str) -> str:
    """The question without white space and without a leading "那" and the like."""
    flat = "".join(question.split())
    leading = _LEADING.match(flat)
    return flat[leading.end() :] if leading and len(leading[0]) < len(flat) - 1 else flat
