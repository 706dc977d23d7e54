"""Classify a sentence as question, request, procedure or statement, and strip words that only address the listener."""

from __future__ import annotations

import re

from memory_bank.judgement.utterances.about_whom import is_past
from memory_bank.text.tokens import holds_chinese

_INTERJECTION = re.compile(
    r"\W*(?:(?:hey|hi|hello|oh|wow|whoa|woah|yeah|yep|yes|yup|ya|no|nope|nah|ok|okay|well|plus|anyway|anyways"
    r"|actually|btw|by the way|haha+|hah|lol|aww*|ah|oops|yikes|man|cool|nice|great|awesome|sure|sure thing|for sure"
    r"|absolutely|definitely|totally|exactly|right|true|certainly|of course|thanks|thank you|thx|cheers|congrats"
    r"|congratulations|sorry|woo+|woohoo|yay|hm+|um+|uh+|honestly|seriously|luckily|thankfully|fortunately"
    r"|unfortunately|speaking of(?: which| that)?|good (?:morning|afternoon|evening|day)|guess what|you know|i mean"
    r"|fyi|in fact|for (?:example|instance)|rest assured|overall|similarly|to be honest|on (?:another|a different"
    r"|a side) note|as for me|long time no (?:see|talk)|no worries|no problem|likewise|same here)\b(?: (?:so much"
    r"|a lot|a bunch|a ton|again|there))?\s*(?:[,!.:;…–—-]+\s*|$)|(?:and|but|so|also|oh|well|plus"
    r"|yeah|yes|no|nah|ok|wow|btw|anyway|thankfully|luckily) (?=\w)(?!far\b|much\b|many\b))",
    re.IGNORECASE,
)
_CHINESE_INTERJECTION = re.compile(
    r"\W*(?:你好|您好|嗨|哈喽|谢谢你|谢谢您|谢谢|多谢|好的|好吧|嗯+|哦+|对了|对|是的|哇|早上好|晚上好|再见|另外|还有"
    r"|而且|但是|不过)[啊呀哦]?(?:[，,。！!、\s]+|$)"
)
_REMEMBER_THAT = re.compile(
    r"(?:(?:please |also |and )*(?:remember|note|keep in mind|bear in mind|don['’]t forget|be aware)(?: that|[:,])"
    r"|for (?:your|the) (?:information|record),)\s+(?!to\b)|(?:请|你要)?(?:记住|记得|注意)[：:，,]?(?=[我们咱])",
    re.IGNORECASE,
)
"""Openings that ask to remember something; what follows is classified as if it stood alone."""

_QUESTION = re.compile(
    r".*[?？][\s\"”')）\]]*$"
    r"|(?:(?:what|whats|which|who|whose|whom|where|how)(?!ever)\b(?!['’]?s? (?:i|we|my|worked|matters|helps?|really)\b)"
    r"|why\b|when (?:is|are|was|were|do|does|did|will|can|should)\b"
    r"|(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|shall|may) "
    r"(?:i|you|we|they|he|she|it|there|the|this|that|these|those|my|your|our|any|anyone|some|an?)\b"
    r"|(?:any|anything|got any|wanna|how about|what about)\b)"
    r"|.*(?:吗|呢|么)[\s。！!]*$|.*(?:什么|谁|哪[里儿个些年位]|怎么|怎样|为什么|为何|多少|请问|是否|有没有)|如何",
    re.IGNORECASE | re.DOTALL,
)
_VERBS = (
    "find|ignore|disregard|skip|search|look|tell|give|show|list|explain|describe|summari[sz]e|compare|check|verify"
    "|write|draft|translate|plan|book|recommend|suggest|help|calculate|compute|work out|figure out|analy[sz]e"
    "|answer|read|open|create|make|generate|prepare|let|get|fetch|send|remind|pick|choose|identify|determine"
    "|investigate|research|review|count|define|name|please|kindly|report|convert|sort|collect|estimate|provide|do"
    "|go|come|try|keep|take|stay|enjoy|remember|believe|push|hang|have|don['’]t|just|forget|think|trust|follow|use"
    "|see|watch|stop|start|wait|hold|call|bring|put|set|add|remove|update|fix|test|run|continue|proceed|focus"
    "|consider|never|always|be|hope|imagine|picture|treat|reach|listen|feel free"
)
_THEN_VERB = r"(?:(?!me|us|it|who|what|which|where|if|whether|how|that)[a-z]+ )?(?:is|are|was|were|has|ends?|starts?)\b"
_REQUEST = re.compile(
    rf"let['’]?s\b|(?:(?:please|now|then|first|next|again|also|okay|so),? )*(?:{_VERBS})\b(?!['’]s|-| {_THEN_VERB})"
    r"|.*\b(?:can|could|would|will) you\b|.*\bi(?:['’]d| would)? (?:like|want|need) (?:you|to (?:know|find|see"
    r"|understand|ask|learn (?:about|more|what|how|which)|hear))\b"
    r"|i(?:['’]m| am) (?:looking|searching) for (?:an?|the|some|any)\b"
    r"|i (?:need|want|['’]d like|would like) (?:an?|some|the|help|information|your|more)\b|.*\bi wonder\b"
    r"|(?:such|what) an? |thanks\b|thank you|i bet\b|my (?:advice|tip)\b"
    r"|i(?:['’]m| am) (?:sure|here|listening|all ears)\b|(?:all the )?best of luck|good (?:luck|job|for)|well done"
    r"|way to go|see (?:you|ya)|talk (?:soon|later)|.*\bplease\b|请(?!客|假|教)|帮我|给我|告诉我|麻烦|能不能|能否"
    r"|可以帮|我想(?:知道|了解|问|查|找)|我要(?:找|查|知道)|找一|查一?下|看看|搜索|推荐|比较一?下|总结|翻译|解释|列出",
    re.IGNORECASE | re.DOTALL,
)
_FOR_LATER = r"(?:please )?(?:always|never|from now on|in (?:the )?future|by default|every time|each time|whenever)\b"
_INSTRUCTION = re.compile(
    r"(?:please |first |then |always |never |just )*(?:use|close|open|press|turn|call|ask|send|check|give|write|start"
    r"|stop|restart|run|put|take|make|wait|add|remove|set|keep|tell|do|don['’]t|avoid|switch|contact|convert|round"
    r"|answer|cite|quote|include|list|show|go|pull|push|hold|release|unplug|plug|fill|empty|clean|install|update"
    r"|delete|save|copy|click|select|log|sign|enter|type|move|mix|heat|cool|boil|cut|drain|rinse|apply|follow|pick"
    r"|choose|return|report|create|build|deploy|merge|commit|back|lock|unlock|load|fetch|begin|finish|measure|test"
    r"|verify|confirm|prefer|(?:you|one|we) (?:must|should|have to|need to|can))\b",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(
    rf"{_FOR_LATER},? (?!(?:i|we|he|she|it|they|have|has|had|was|were|been|the|a|an|my|our|wanted|loved|\w+ed)\b)\w"
    r"|(?:please )?(?:make sure|be sure|remember|don['’]t forget) to \w"
    r"|(?:the (?:best |right |only )?way|how) to \w[^,.]*(?: is\b|:)|the (?:procedure|steps?|trick) (?:for|to)\b"
    r"|(?:请|以后|今后)?[^，。]{0,6}(?:总是|始终|一律|务必|切勿|每次都要|不要忘记)(?!在)"
    r"|(?:要|想要|如果要|若要|为了)?[^，。]{1,20}(?:之前|前|时|的时候|的话)?[，,](?:请|要|应|应该|必须|需要?"
    r"|得)?(?:先|首先)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"(?:(?:in order )?to|when(?:ever)?|if|before|after|for|once) [^,]{2,80}, *(.+)", re.IGNORECASE)
_HAS_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|shall|cannot"
    r"|isn|aren|wasn|weren|don|doesn|didn|won|can)(?:['’]?n?['’]?t)?\b|\w['’](?:m|re|ve|ll|d|s)\b"
    r"|\b(?:i|we|he|she|they|it|you) (?:\w+ly )?[a-z]{2,}",
    re.IGNORECASE,
)
_WITH_SUBJECT = re.compile(r"(?:the|my|our|his|her|their|its|this|an?|all|every|each|[A-Z][\w'’-]+)\s+\S+\s+\S+\s+\S+")
_LABELLED = re.compile(r"[^\W\d_][\w ]{2,40}[:：]\s*\S")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_WITHOUT_SUBJECT = re.compile(
    r"(?!took (?:me|some|a while|a lot|time|forever))(?:(?:just|also|finally|recently|even|already|actually"
    r"|still) )*(been|gonna|gotta|\w+)\b",
    re.IGNORECASE,
)
_FORMS_AFTER_I = {"been": "have been", "gonna": "am gonna", "gotta": "have to", "had": "had"}


def bare(sentence: str) -> str:
    """A sentence without opening interjections: "Thanks! I won!" gives "I won!"."""
    opening = _CHINESE_INTERJECTION if holds_chinese(sentence) else _INTERJECTION
    while (match := opening.match(sentence)) and match.end():
        sentence = sentence[match.end() :]
    if match := _REMEMBER_THAT.match(sentence):
        sentence = sentence[match.end() :]
    sentence = sentence.strip()
    return sentence[:1].upper() + sentence[1:]


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, with or without a question mark."""
    return _QUESTION.match(sentence) is not None


def is_request(sentence: str) -> bool:
    """Whether a sentence asks the listener to do something now, or gives advice."""
    return _REQUEST.match(sentence) is not None


def is_procedure(sentence: str) -> bool:
    """Whether a sentence says how something is always done: "Always give lengths in metres", "To restart, close B"."""
    if sentence.rstrip().endswith(("?", "？")):
        return False
    if _PROCEDURE.match(sentence):
        return True
    purpose = _PURPOSE.match(sentence)
    return purpose is not None and _INSTRUCTION.match(purpose[1]) is not None


def is_statement(sentence: str) -> bool:
    """Whether a sentence has a subject and a verb, as far as its words tell; a label with a value counts too."""
    if holds_chinese(sentence):
        return True
    if _HAS_VERB.search(sentence) or _LABELLED.match(sentence) or _WITH_SUBJECT.match(sentence):
        return True
    return any(is_past(word.lower()) for word in _WORD.findall(sentence))


def with_subject(sentence: str) -> str:
    """A sentence with an omitted "I" restored: "Went hiking", "Been to Rome once"."""
    match = _WITHOUT_SUBJECT.match(sentence)
    verb = match[1].lower() if match else ""
    if verb in _FORMS_AFTER_I and match:
        return f"I {_FORMS_AFTER_I[verb]}{sentence[match.end() :]}"
    if verb and is_past(verb) and verb not in _NOT_FIRST_PERSON:
        return f"I {sentence[:1].lower()}{sentence[1:]}"
    return sentence


_NOT_FIRST_PERSON = frozenset("was were put set read let cut hit used based hurt beat bet tired excited".split())
"""Past forms that mostly take no "I" at the beginning of a sentence: "Based in Rome", "Let me see"."""
