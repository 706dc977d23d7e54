"""Print stored facts of `eval extraction`, drawn with a seed, to be judged by a person: `--sample 50 --seed 1`."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from memory_bank.app.evaluation.dialogue import Conversation
from memory_bank.app.evaluation.extraction import ExtractedConversation
from memory_bank.app.evaluation.records import read_records
from memory_bank.bank.settings import load_settings
from memory_bank.search.embedding import load_embedder


def main() -> None:
    """A fact a line: its turns, type and importance, then the fact as it is recalled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a .jsonl file of conversations")
    parser.add_argument("--sample", type=int, default=50, help="how many facts")
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args()
    settings = load_settings()
    embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
    kept = [
        (conversation.id, one)
        for conversation in read_records(parsed.data, {"conversation": Conversation})
        for one in ExtractedConversation(conversation, embedder).kept
    ]
    for name, one in random.Random(parsed.seed).sample(kept, min(parsed.sample, len(kept))):  # noqa: S311 - no secret
        turns = ", ".join(sorted(one.evidence))
        sys.stdout.write(f"{name} {turns} {one.fact.type} {one.fact.importance}\n    {one.fact.text}\n")


if __name__ == "__main__":
    main()
