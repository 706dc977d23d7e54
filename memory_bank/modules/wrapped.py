"""Lines of Chinese on a page: where one goes on in the next, as nothing stands between its words either."""

from __future__ import annotations

import re

_PROSE = 8
"""Signs that a line of running text has, at the least."""
_INDENT = 1.5
"""Signs by which a line may end before the others, or begin after them, and still be one of a paragraph."""
_CHINESE = "\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
"""Signs that are written without spaces between them, those of Japanese too."""
_PARTED = re.compile(rf"[{_CHINESE}\d]\n(?:[{_CHINESE}]|(?P<figure>\d[\d.,]{{0,20}})[\u3400-\u9fff])")
"""A figure goes on a line with what it counts; the number of an item stands before a mark or a space."""

Stretch = tuple[float, float]
"""Where something begins and ends, from the left."""


def goes_on(above: str, below: str, places: tuple[Stretch, Stretch], edges: Stretch) -> bool:
    """Whether the line `above` goes on in that `below`: both of Chinese, the first full, the second not indented.

    `places` are where the two stand, `edges` where the lines of their block do, in any unit.
    """
    parted = _PARTED.match(f"{above[-1:]}\n{below}")
    if len(above) < _PROSE or parted is None:
        return False
    (start, end), (begin, _end) = places
    sign = (end - start) / len(above)
    full = edges[1] - end <= (_INDENT + len(parted["figure"] or "")) * sign  # a figure is not parted
    return full and begin - edges[0] <= _INDENT * sign
