"""Find the content words of a sentence: all but words of feeling, politeness and filling."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_bank.text.tokens import tokenize

_NO_CONTENT = """
hey hi hello oh wow whoa yeah yep yes yup ok okay well anyway actually btw haha lol aww ah oops yikes man thanks thx
cheers congrats congratulations sorry woo woohoo yay hmm um uh honestly seriously luckily hopefully great good nice cool
awesome amazing wonderful fantastic incredible lovely beautiful gorgeous fun funny special perfect best better bad worse
worst awful terrible terrific tough hard easy rough crazy wild big huge little small lot bit ton bunch super really
totally definitely absolutely certainly surely truly literally basically kind kinda sort pretty quite maybe perhaps
probably always never ever still even already soon lately recently now today time day moment long new different
important rewarding exciting thrilled happy glad proud grateful blessed sad nervous scared worried stressed tired
emotional relieved inspiring motivated determined passionate fulfilling satisfying relaxing peaceful stunning
breathtaking magical powerful strong feel felt joy like enjoy wish want need try think thought guess know knew believe
see saw seen look sound hear heard say said tell told talk ask mean meant make made get got go goes went gone come came
take took taken give gave keep kept let put bring brought help find found start stop happen done gotta gonna wanna may
might thing something anything everything nothing stuff someone anyone everyone people person guy folks life world way
part place journey adventure experience challenge opportunity support appreciate encouragement care share dream goal
success progress future forward step path chance memories connect bond energy vibe ride rollercoaster blast bet matter
worth reminder idea advice tip question answer chat catch picture pic photo snap shot check word update news one two
first last next many much less least enough whole another real full able ready far close away together around deserve
earned paying paid tbh imo agree understand wait cant im ive id ill dont work learn lesson grow growth push hang stay
strength positive negative attitude spirit heart mind soul exhausted stoked fortunate lucky grind key everyday sometimes
especially impact creativity though although back exactly weekend week month year evening ago across whenever notice
listen figure remember sooner instead spend others hold onto unknown struggle focus resilient express level remarkable
spot escape top favorite favourite balance whatever somewhere anywhere vital essential crucial recommend suggestion
reminisce treasure cherish embrace comfort calm
你好 您好 谢谢 感谢 请 好 很好 太好 真好 棒 不错 高兴 开心 喜欢 觉得 认为 希望 想 知道 看 听 说 做
去 来 非常 真的 一点 一些 东西 事情 时候 今天 现在 可以 能 会 应该 没有 不 没
"""
"""Each once, whatever its endings, and no stop words: both are the tokeniser's work."""
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=1)
def _no_content_tokens() -> frozenset[str]:
    return frozenset(tokenize(_NO_CONTENT))


def content_words(text: str) -> list[str]:
    """The content words of a text, as tokens."""
    ignored = _no_content_tokens()
    return [token for token in tokenize(text) if token not in ignored or _DIGIT.search(token)]
