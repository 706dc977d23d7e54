"""A measured figure, its reference from the same run, and whether it held its target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a benchmark. `reference` and `ratio` are None where a figure stands against a fixed limit alone."""

    name: str
    value: float
    unit: str
    reference: float | None
    ratio: float | None
    target: str
    held: bool

    @classmethod
    def faster(cls, name: str, unit: str, value: float, reference: float, times: float) -> Figure:
        """A figure that is to be at least so many times smaller than the reference; ratio = reference / value."""
        ratio = reference / value
        return cls(name, value, unit, reference, ratio, f">= {times:g}", ratio >= times)

    @classmethod
    def within(cls, name: str, unit: str, value: float, reference: float, times: float) -> Figure:
        """A figure that is to be at most so many times the reference; ratio = value / reference."""
        ratio = value / reference
        return cls(name, value, unit, reference, ratio, f"<= {times:g}", ratio <= times)

    @classmethod
    def below(cls, name: str, unit: str, value: float, limit: float, reference: float | None = None) -> Figure:
        """A figure with a fixed limit, in its own unit, and perhaps a reference to see it by; ratio = value / it."""
        ratio = None if reference is None else value / reference
        return cls(name, value, unit, reference, ratio, f"<= {limit:g} {unit}", value <= limit)

    @classmethod
    def least(cls, name: str, unit: str, value: float, limit: float) -> Figure:
        """A figure that is to reach a fixed limit, in its own unit."""
        return cls(name, value, unit, None, None, f">= {limit:g} {unit}", value >= limit)
