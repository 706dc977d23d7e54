"""Makes a long PDF about a valley that is invented, and asks what stands in it: `python -m scripts.long_document`.

A session reads the PDF and is exported; then five questions are asked of the export, some of which need a second page
to be found by what the first one says. Printed are the questions, the answers, and whether the value and its page are
right.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

TITLE = "A survey of the Osk valley"
_SYLLABLES = [first + rest for first in "bdfghklmnprstvwz" for rest in ("an", "el", "or", "ix", "um", "ed")]
_UNLIKE = 0.7
"""How alike two names may be: more could be one name, spelt in two ways."""
_KINDS = ("mill", "bridge", "village", "person")
_TRADES = "miller carpenter surveyor ferryman clockmaker stonemason schoolteacher saddler".split()
_FILLER = (
    "The register of the parish lists no other owner, and the accounts of those years were lost in a flood.",
    "In wet autumns the lower meadows stand under water for weeks, and the cattle are driven up to the ridge.",
    "Old people still tell of the winter in which the river froze to its bed and carts were drawn along it.",
    "The county paid for new drains, but the work was badly done and had to be repeated.",
    "Rye and oats were grown on the slopes, with flax in the damp corners and apples along the walls.",
    "A market was held on the green every second week until the railway took the trade away.",
    "Travellers praised the inn for its trout and complained about its beds.",
    "The survey of the wells found good water nearly everywhere, and iron in a few of them.",
    "What the deeds say of the boundary cannot be squared with the map, and nobody has tried for long.",
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, the words that a right answer holds, and the page on which they stand."""

    text: str
    value: str
    page: int


@dataclass(frozen=True, slots=True)
class Survey:
    """The pages, each a heading and its paragraphs, and questions about them."""

    pages: tuple[tuple[str, ...], ...]
    questions: tuple[Question, ...]


def make_survey(count: int, seed: int = 1) -> Survey:
    """A survey of 8 pages or more: a mill, a bridge, a village or a person on each. The same each time."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    most = count // len(_KINDS) + len(_KINDS)
    places = _names(8 * most, chance)
    people = [f"{places.pop()} {places.pop()}" for _ in range(2 * most)]
    quarter = count // len(_KINDS)
    subjects = [(kind, number) for kind in _KINDS for number in range(quarter)]
    subjects += [("village", quarter + number) for number in range(count - len(subjects))]
    chance.shuffle(subjects)
    facts = _Facts(people, places, seed)
    pages = tuple((heading, *_mixed(sentences, chance)) for heading, sentences in map(facts.page, subjects))
    page_of = {subject: number for number, subject in enumerate(subjects, start=1)}
    asked = [number % quarter for number in range(5)]
    return Survey(pages, tuple(facts.questions(asked, page_of)))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is so in the valley: mill n was built by person n, who was born in village n, and so on."""

    people: list[str]
    places: list[str]
    seed: int

    def number(self, what: str, of: int, low: int, high: int) -> int:
        return random.Random(f"{self.seed} {what} {of}").randint(low, high)  # noqa: S311

    def place(self, kind: str, number: int) -> str:
        """The name of a mill, a bridge or a village; no two share one."""
        return self.places[len(_KINDS) * number + _KINDS.index(kind)]

    def page(self, subject: tuple[str, int]) -> tuple[str, list[str]]:
        """The heading and the facts of a page."""
        kind, number = subject
        person = self.people[number]
        village = self.place("village", number)
        if kind == "mill":
            mill = f"{self.place(kind, number)} Mill"
            return mill, [
                f"{mill} was built in {self.number('built', number, 1700, 1890)} by {person}.",
                f"{mill} stands below a weir of oak, and its wheel is dry.",
            ]
        if kind == "bridge":
            bridge, designer = f"{self.place(kind, number)} Bridge", self.people[-1 - number]
            return bridge, [
                f"{bridge} is {self.number('long', number, 40, 390)} metres long.",
                f"{designer} designed {bridge} and never saw it finished.",
            ]
        if kind == "person":
            trade = _TRADES[self.number("trade", number, 0, len(_TRADES) - 1)]
            return person, [
                f"{person} was born in {village} in {self.number('born', number, 1660, 1850)}.",
                f"{person} worked as a {trade} before the years of building.",
            ]
        return village, [
            f"{village} has {self.number('people', number, 90, 2400)} inhabitants.",
            f"The church of {village} was consecrated in {self.number('church', number, 1300, 1650)}.",
        ]

    def questions(self, asked: list[int], page_of: dict[tuple[str, int], int]) -> list[Question]:
        a, b, c, d, e = asked
        bridge = f"{self.place('bridge', b)} Bridge"
        return [
            Question(
                f"When was {self.place('mill', a)} Mill built?",
                str(self.number("built", a, 1700, 1890)),
                page_of["mill", a],
            ),
            Question(f"How long is {bridge}?", str(self.number("long", b, 40, 390)), page_of["bridge", b]),
            Question(
                f"In which village was the builder of {self.place('mill', c)} Mill born?",
                self.place("village", c),
                page_of["person", c],
            ),
            Question(
                f"When was the builder of {self.place('mill', d)} Mill born?",
                str(self.number("born", d, 1660, 1850)),
                page_of["person", d],
            ),
            Question(
                f"How many inhabitants does the birthplace of {self.people[e]} have?",
                str(self.number("people", e, 90, 2400)),
                page_of["village", e],
            ),
        ]


def _names(count: int, chance: random.Random) -> list[str]:
    """So many names, no two of them alike."""
    found: list[str] = []
    while len(found) < count:
        name = "".join(chance.sample(_SYLLABLES, 3)).capitalize()
        if all(SequenceMatcher(None, name, other).ratio() < _UNLIKE for other in found):
            found.append(name)
    return found


def _mixed(facts: list[str], chance: random.Random) -> list[str]:
    """The facts, one in each of some paragraphs of what is beside the point."""
    return [" ".join([*chance.sample(_FILLER, 3), fact, *chance.sample(_FILLER, 3)]) for fact in facts]


def write_pdf(survey: Survey, target: Path) -> None:
    """Each page of the survey on a page of its own."""
    styles = getSampleStyleSheet()
    flow: list[object] = []
    for number, (heading, *paragraphs) in enumerate(survey.pages):
        flow += [PageBreak()] if number else []
        flow += [Paragraph(heading, styles["Heading2"]), *(Paragraph(text, styles["BodyText"]) for text in paragraphs)]
    SimpleDocTemplate(str(target), pagesize=A5, title=TITLE, invariant=1).build(flow)


def is_right(question: Question, answer: str) -> bool:
    """Whether an answer, as `ask` prints it, holds the value and cites its page."""
    text, _, passages = answer.rpartition("\n\n")
    return question.value in text.partition("\n\n")[0] and f", p. {question.page}: " in passages


def main() -> None:
    """Make, read and ask; the exit code tells whether all answers were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    survey = make_survey(parser.parse_args().pages)
    with tempfile.TemporaryDirectory() as folder:
        document, export = Path(folder, "survey.pdf"), Path(folder, "export.json")
        write_pdf(survey, document)
        started = time.perf_counter()
        _command("run", "--task", survey.questions[0].text, "--doc", document, "--export", export, "--sessions", folder)
        _say(f"{len(survey.pages)} pages read in {time.perf_counter() - started:.0f} s")
        right = [_ask(question, export) for question in survey.questions]
    sys.exit(0 if all(right) else 1)


def _ask(question: Question, export: Path) -> bool:
    started = time.perf_counter()
    answer = _command("ask", export, "--question", question.text)
    right = is_right(question, answer)
    _say(f"\n{question.text}\n{answer.strip()}\n{question.value} is on page {question.page}: ")
    _say(f"{'right' if right else 'WRONG'}, {time.perf_counter() - started:.0f} s")
    return right


def _command(*arguments: object) -> str:
    command = [sys.executable, "-m", "memory_bank", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own words


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
