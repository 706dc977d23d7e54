"""What memory is searched with at the start of a task, and what a follow-up question asks (section 5): by rules alone.

Rewriting by a model and a hypothetical answer are the judgement REMEMBER_QUERY, which an engine makes.
"""

from __future__ import annotations

from memory_bank.engines.offline.following.question import standing_alone, vague, with_context

__all__ = ["standing_alone", "vague", "with_context"]
