"""Decide by rules whether long-term memory is searched at the start of a task.

Greetings are skipped. Requests to a tool and questions of general knowledge are skipped too, unless the person speaks
of themselves. In doubt, memory is searched.
"""

from __future__ import annotations

import re

from memory_bank.long_term.general_knowledge import is_general_knowledge
from memory_bank.text.wording import Wording

LONGEST = 400
"""Most characters of a text that may be skipped: a longer one always has content."""

# -- greetings, thanks and farewells -----------------------------------------------------------------------------

_HELLO = (
    "hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|morning|dear|welcome(?: back)?|thanks"
    "|thank you|bye|goodbye"
)
_PHRASE = (
    rf"{_HELLO}|good night|nice to meet you|pleased to meet you|how are you|how do you do|how(?: i)?s it going"
    "|how(?: i)?s your day|what(?: i)?s up|thx|ty|thank you|many thanks|much appreciated|cheers|bye bye"
    "|good ?bye|farewell|see you|see ya|talk to you|take care|have a (?:nice|good|great|lovely) (?:day|evening|weekend"
    "|time|one)|ok|okay|great|perfect|fine|cool|nice|good|wonderful|got it|no problem|no worries|you(?: a)?re welcome"
    "|sounds good|alright|sure|yes|yeah|yep|no|nope|merry christmas|happy (?:new year|birthday|easter|holidays)"
    "|that is all|thats all|congratulations|sorry"
)
_FILLER = (
    "there|again|everyone|everybody|all|friend|so much|very much|a lot|a million|for your help|for the help|for now|for"
    "|later|soon|tomorrow|today|doing|doing today|then|please|and|indeed|now|to you(?: too)?|too|my friend"
)
_GREETING = re.compile(rf"(?:{_PHRASE})(?: (?:{_PHRASE}|{_FILLER}))*")
_GREETING_WITH_NAME = re.compile(rf"(?i:{_HELLO})\s*,?\s+[A-Z][a-z]+\s*[!.,]*")
_CHINESE_GREETING = re.compile(
    "(?:你好|您好|你们好|大家好|大家|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|早|嗨|哈喽|嘿|最近好|最近怎么样|谢谢|多谢|感谢|非常|十分"
    "|你的帮助|帮助|再见|拜拜|回头见|明天见|一会儿见|好的|好吧|好|行|可以|没问题|没关系|不客气|不用谢|辛苦|新年快乐|生日快乐|周末愉快|节日快乐|圣诞快乐"
    "|知道了|明白了|收到|对不起|抱歉|你|您|啊|呀|吗|哦|了|们|呢|的)+"
)
_CHINESE_GREETING_CORE = re.compile(
    "好|早|安|嗨|嘿|哈喽|谢|再见|拜拜|见|行|可以|没|客气|辛苦|快乐|愉快|知道|明白|收到|对不起|抱歉|怎么样"
)
_NOT_LETTERS = re.compile(r"[^\w\u3400-\u9fff']+|_")

# -- courtesies, and first-person words ----------------------------------------------------------------------------

_TELL_ME = re.compile(
    r"(?:please )?(?:(?:can|could|would|will) you )?(?:please )?"
    r"(?:tell me(?: about)?|let me know|explain to me|give me|do you know|i(?:'d| would) like to know|i want to know"
    r"|i wonder)[, ]+",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:please|(?:can|could|would|will) you(?: please)?|i(?:'d| would) like you to|i want you to)[, ]+", re.IGNORECASE
)
_FOR_ME = re.compile(r"\bfor me\b|,? please(?=[.!?]*$)|,? thanks?(?: you)?(?=[.!?]*$)", re.IGNORECASE)
_CHINESE_TELL_ME = re.compile("(?:请|请你)?(?:告诉我|问一?下)|请问|我想(?:知道|了解)(?:一下)?|你知道|给我讲讲")
_CHINESE_POLITE = re.compile("(?:请|麻烦|你能不能|你能|能不能|可以|能|你|帮我|帮忙|给我|替我)+")
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|our|ours|ourselves)\b|\b[Uu]s\b|\blet's\b",
    re.IGNORECASE,
)
_US_THE_COUNTRY = re.compile(r"\bUS\b")
_CHINESE_FIRST_PERSON = re.compile("[我咱俺]|本人|自己")

# -- requests to tools -------------------------------------------------------------------------------------------

_ADDRESS = r"(?:https?://\S+|www\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|de|cn|uk|fr|info)\b\S*)"
_WEB = r"(?:(?:the |web )(?:web|internet|net|search)\b|online(?=$|[.?!]| (?:for|about|how|what|when|where|who)\b))"
_FIGURES = r"[\d\s+\-*/×÷^().,%=]*\d[\d\s+\-*/×÷^().,%=]*"
_THIS = r"(?:this|that|it|these|those|the (?:following|above)|the (?:text|sentence|paragraph)s? (?:below|above))\b"
_TOOL = re.compile(
    "|".join(
        (
            _ADDRESS + r"[.!?]*$",
            rf"(?:open|visit|go to|read|fetch|get|download|load|browse|check|summari[sz]e)\b.{{0,60}}?{_ADDRESS}",
            rf"(?:search|look|browse|find|check|do|run|perform|make|use)\b.*\b{_WEB}",
            r"google\b",
            rf"translate {_THIS}(?! (?:\w+ )?(?:letter|mail|email|message|note)\b)",
            r"translate [\"“'‘«]",
            r"how do you say [\"“'‘].+[\"”'’] in ",
            r"(?:run|do|start|conduct|make|perform|begin)(?: an?| some| the)?(?: \w+)? research (?:on|about|into)\b",
            r"(?:calculate|compute|evaluate)\b[^?]*\d",
            rf"convert {_FIGURES}",
            rf"(?:(?:what(?: is|'s)|how much is) )?{_FIGURES}[?.]*$",
            r"(?:use|call) the (?:web )?(?:search|calculator)(?: tool)?\b",
        )
    ),
    re.IGNORECASE,
)
_CHINESE_THIS = '(?:这|以下|下面|下列|上面|上述|它|[“「"])'
_CHINESE_TOOL = re.compile(
    "|".join(
        (
            rf"(?:打开|访问|浏览|阅读|读|下载|抓取|总结)\s*(?:一下|网页|网站|链接)?\s*{_ADDRESS}",
            _ADDRESS + "$",
            "(?:在|到|用|上|从)?(?:互联)?(?:网上?|网络上?|百度|谷歌)(?:上|里)?(?:帮我)?(?:搜|查|找|一下)",
            "(?:搜索?|查找?|找)(?:一下|一查|查)?(?:网上|网络上?|互联网)",
            rf"翻译(?:一下|成\w文)?{_CHINESE_THIS}",
            rf"(?:把|将){_CHINESE_THIS}.*?(?:翻译|译)[成为]?",
            "“[^”]+”用..?语怎么说",
            "研究一下",
            "(?:对|就|关于).+(?:进行|做|开展|展开).*研究",
            "(?:开始|进行|做)(?:一个|一次|个|一下)?(?:关于)?.*研究",
            r"(?:计算|算)(?:一下)?\s*\d",
            r"(?:把|将)?\s*\d+\s*\w+?(?:换算|转换|兑换)[成为]",
        )
    )
)


def skipped(question: str) -> Wording | None:
    """Why memory is not searched, in a few words for a person; None where it is searched."""
    text = " ".join(question.split())
    if not text or len(text) > LONGEST:
        return None
    if _is_greeting(text):
        return Wording("a greeting")
    request, told = _without_courtesy(text)
    if _FIRST_PERSON.search(_US_THE_COUNTRY.sub("", request)) or _CHINESE_FIRST_PERSON.search(request):
        return None
    if _TOOL.match(request) or _CHINESE_TOOL.match(request):
        return Wording("a request to a tool")
    return Wording("general knowledge") if is_general_knowledge(request, told=told) else None


def _is_greeting(text: str) -> bool:
    if _GREETING_WITH_NAME.fullmatch(text):
        return True
    letters = _NOT_LETTERS.sub(" ", text.casefold()).replace("'", "").strip()
    if not letters:  # an emoji, or punctuation alone
        return True
    plain = letters.replace(" ", "")
    is_chinese_greeting = _CHINESE_GREETING.fullmatch(plain) and _CHINESE_GREETING_CORE.search(plain)
    return bool(_GREETING.fullmatch(letters) or is_chinese_greeting)


def _without_courtesy(text: str) -> tuple[str, bool]:
    """The request without courtesies, and whether it began with "tell me"; its "me" does not count as first person."""
    for tell_me in (_TELL_ME, _CHINESE_TELL_ME):
        match = tell_me.match(text)
        if match:
            return _FOR_ME.sub("", text[match.end() :]).strip(), True
    for polite in (_POLITE, _CHINESE_POLITE):
        match = polite.match(text)
        text = text[match.end() :] if match else text
    return _FOR_ME.sub("", text).strip(), False
