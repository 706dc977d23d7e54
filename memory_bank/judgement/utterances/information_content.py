"""Find the content words of a sentence: all but words of feeling, politeness and filling."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from memory_bank.text.tokens import tokenize

_NO_CONTENT = """
hey hi hello oh wow whoa yeah yep yes yup ok okay well anyway actually btw haha lol aww ah oops yikes man thanks thank
thx cheers congrats congratulations sorry woo woohoo yay hmm um uh honestly seriously luckily thankfully hopefully
great good nice cool awesome amazing wonderful fantastic incredible lovely beautiful gorgeous fun funny special
perfect best better bad worse worst awful terrible terrific tough hard easy rough crazy wild big huge little small lot
lots bit ton tons bunch super really totally definitely absolutely certainly surely truly literally basically kind
kinda sort pretty quite maybe perhaps probably always never ever still even already yet soon lately recently now today
time times day days moment moments while long new different important rewarding exciting excited thrilled happy glad
proud grateful thankful blessed sad nervous scared worried stressed tired emotional relieved inspiring inspired
motivated motivating determined passionate fulfilling satisfying relaxing peaceful stunning breathtaking magical
powerful strong feel feels feeling feelings felt emotion emotions joy happiness love loved loves loving like likes
liked enjoy enjoyed enjoying hope hopes hoping wish wishing want wants wanted need needs needed try tries trying tried
think thinks thinking thought guess know knows knew believe sure see sees saw seen look looks looking looked sound
sounds hear heard hearing say says said tell tells told talk talking talked ask asked asking mean means meant make
makes made making get gets got getting go goes going went gone come comes came coming take takes took taking taken
give gives gave giving keep keeps kept keeping let put bring brings brought help helps helped helping find finds found
finding start started starting stop happen happens happened do does did done doing have has had be been being gotta
gonna wanna can could may might would should thing things something anything everything nothing stuff someone anyone
everyone people person guy guys folks life world way ways part place journey adventure experience experiences
challenge challenges challenging opportunity opportunities support supported supporting supportive appreciate
appreciated appreciation encouragement encouraging care share shared sharing dream dreams goal goals success
successful progress future forward step steps path chance memories memory connect connection bond energy vibe vibes
ride rollercoaster blast bet matter matters worth difference reminder remind reminds idea ideas advice tip tips
question answer chat catch picture pic pics photo photos snap shot check word words update updates news one ones two
first last next many much more most less least enough whole such same other another real total full able ready far
close away together around worry worries deserve earned paying pays paid off tbh imo agree agreed understand wait
waiting cant im ive id ill dont work working pay learn learned learning lesson grow growth growing push pushing hang
stay staying strength positive negative attitude spirit heart mind soul exhausted excitement thrill stoked fortunate
lucky grind key everyday sometimes especially inspire inspiration impact passion motivation creativity creative though
although back exactly weekend weekends week weeks month months year years evening evenings ago across whenever notice
noticed listen listening figure remember remembering sooner rather instead spend spending others hold holds holding
onto unknown struggle struggling struggles focus focused focusing resilient resilience express expressing level
remarkable spot spots escape top favorite favorites favourite balance whatever somewhere anywhere vital essential
crucial amaze recommend recommendation recommendations suggestion reminisce treasure cherish embrace comfort
comforting calm calming calms relax peace
你好 您好 谢谢 感谢 请 好 很好 太好 真好 棒 不错 高兴 开心 喜欢 觉得 认为 希望 想 知道 看
听 说 做 去 来 很 非常 真 真的 太 一点 一些 东西 事情 时候 今天 现在 可以 能 会 应该 没有
不 没 好的 是的 对
"""
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=1)
def _no_content_tokens() -> frozenset[str]:
    return frozenset(tokenize(_NO_CONTENT))


def content_words(text: str, names: Collection[str] = ()) -> list[str]:
    """The content words of a text, as tokens; `names` are the speakers' names, which do not count."""
    ignored = _no_content_tokens()
    speakers = {token for name in names for token in tokenize(name)}
    return [
        token for token in tokenize(text) if (token not in ignored and token not in speakers) or _DIGIT.search(token)
    ]
