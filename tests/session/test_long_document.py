"""Questions to the export of a long PDF: each answer stands on the page that it is said to stand on."""

from __future__ import annotations

import random

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from memory_bank.bank.bank import Bank
from memory_bank.bank.settings import Settings
from memory_bank.session.memory_qa import ask
from memory_bank.session.session import Parts, Session
from memory_bank.storage.transfer import parse_export

PAGES = 40
FILLER = (
    "The register of the parish lists no other owner, and the accounts of those years were lost in a flood.",
    "In wet autumns the lower meadows stand under water for weeks, and the cattle are driven up to the ridge.",
    "Rye and oats were grown on the slopes, with flax in the damp corners and apples along the walls.",
    "Travellers praised the inn for its trout and complained about its beds.",
    "What the deeds say of the boundary cannot be squared with the map, and nobody has tried for long.",
)
SYLLABLES = [first + rest for first in "bdfghklmnprstvwz" for rest in ("an", "el", "or", "ix", "um", "ed")]
CHANCE = random.Random(1)
NAMES = ["".join(CHANCE.sample(SYLLABLES, 3)).capitalize() for _ in range(PAGES)]
MILLS = {f"{name} Mill": CHANCE.randint(1700, 1890) for name in NAMES[::2]}
BRIDGES = {f"{name} Bridge": CHANCE.randint(40, 390) for name in NAMES[1::2]}
FACTS = {
    **{mill: f"{mill} was built in {year} by its first miller." for mill, year in MILLS.items()},
    **{bridge: f"{bridge} is {metres} metres long." for bridge, metres in BRIDGES.items()},
}
HEADINGS = CHANCE.sample(list(FACTS), PAGES)
"""What each page is about, from the first page on."""
QUESTIONS = [
    *((f"When was {mill} built?", str(MILLS[mill]), mill) for mill in list(MILLS)[:2]),
    *((f"How long is {bridge}?", str(BRIDGES[bridge]), bridge) for bridge in list(BRIDGES)[:2]),
]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """The memory of a session that read the survey, as it comes back from the export."""
    folder = tmp_path_factory.mktemp("survey")
    styles, flow = getSampleStyleSheet(), list[object]()
    for heading in HEADINGS:
        words = " ".join([*CHANCE.sample(FILLER, 3), FACTS[heading], *CHANCE.sample(FILLER, 3)])
        flow += [Paragraph(heading, styles["Heading2"]), Paragraph(words, styles["BodyText"]), PageBreak()]
    SimpleDocTemplate(str(folder / "survey.pdf"), pagesize=A5, title="A survey of the Osk valley").build(flow)
    settings = Settings(embedding_model="hash")
    session = Session.create(QUESTIONS[0][0], [folder / "survey.pdf"], sessions=folder, settings=settings)
    for _event in session.run():
        pass
    return Bank.replay(parse_export(session.export().encode()).events)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "value", "about"), QUESTIONS, ids=lambda each: each)
def test_the_answer_is_right_and_names_its_page(bank: Bank, question: str, value: str, about: str) -> None:
    answer = ask(bank, Parts.asking(Settings(embedding_model="hash")), question).answer
    assert value in answer.text
    assert HEADINGS.index(about) + 1 in [citation.page for citation in answer.citations], answer.text
