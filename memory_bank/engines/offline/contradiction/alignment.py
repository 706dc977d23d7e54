"""Two sentences laid side by side: what they share, and the spots where they differ.

Works on tokens, so that typography does not count as a difference, and leaves out what stands before the first and
after the last common stretch: one of the texts may simply be cropped there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memory_bank.engines.offline.language.tokens import Token


@dataclass(frozen=True, slots=True)
class Block:
    """Equal runs: `a[i:i+size]` and `b[j:j+size]`."""

    i: int
    j: int
    size: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A spot where two sentences differ: `a[i1:i2]` stands where `b[j1:j2]` does.

    `edge` is "head" or "tail" for what lies outside the common stretches, "" within.
    """

    i1: int
    i2: int
    j1: int
    j2: int
    edge: str = ""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Common stretches and the gaps between them; `shared` counts the shared content words without values.

    `parallel` (0…1) is the shared part of the content words from the first to the last common stretch.
    """

    blocks: tuple[Block, ...]
    gaps: tuple[Gap, ...]
    shared: int
    parallel: float


def _solid(block: Block, a: Sequence[Token]) -> bool:
    """Whether a common run is more than a stray function word or number."""
    run = a[block.i : block.i + block.size]
    words = sum(t.content and t.value is None for t in run)
    return words >= 1 or block.size >= 3


def _gaps(blocks: Sequence[Block], a_length: int, b_length: int) -> list[Gap]:
    gaps: list[Gap] = []
    i = j = 0
    for block in [*blocks, Block(a_length, b_length, 0)]:
        if i < block.i or j < block.j:
            edge = "head" if not i and not j and block is blocks[0] else "tail" if not block.size else ""
            gaps.append(Gap(i, block.i, j, block.j, edge))
        i, j = block.i + block.size, block.j + block.size
    return gaps


def align(a: Sequence[Token], b: Sequence[Token]) -> Alignment | None:
    """The alignment of two token rows, or None when they share no solid run."""
    matcher = SequenceMatcher(None, [t.key for t in a], [t.key for t in b], autojunk=False)
    blocks = [Block(*m) for m in matcher.get_matching_blocks() if m.size]
    solid = [k for k, block in enumerate(blocks) if _solid(block, a)]
    if not solid:
        return None
    # Stray function words at the ends would stretch the common part over what is merely cropped.
    blocks = blocks[solid[0] : solid[-1] + 1]
    gaps = _gaps(blocks, len(a), len(b))
    shared = sum(t.content and t.value is None for block in blocks for t in a[block.i : block.i + block.size])
    inner = [gap for gap in gaps if not gap.edge]
    apart = sum(
        max(sum(t.content for t in a[gap.i1 : gap.i2]), sum(t.content for t in b[gap.j1 : gap.j2])) for gap in inner
    )
    return Alignment(tuple(blocks), tuple(gaps), shared, shared / (shared + apart) if shared else 0.0)
