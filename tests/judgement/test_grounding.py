"""What a written sentence may rest on. The pairs are of the kind a model writes; the embedder is the real one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_bank.judgement.grounding import MOST_QUOTES, Grounding, SourceText
from memory_bank.judgement.judge import NoJudge
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.search.hash_embedder import HashEmbedder

BY_WORDS = Grounding(HashEmbedder(), NoJudge())
MILL = (
    "Beacon Mill stands in Kent, on the hill above Benenden. It was last worked in 1955. The mill has four patent "
    "sails and a fantail. It was built in 1772 by the Humphrey family."
)
DAM = (
    "The Aldridge Dam was completed in 1970 after six years of construction. It is 134 metres high and holds 2.5 cubic "
    "kilometres of water. The dam does not produce electricity. The reservoir supplies Merton and Calne."
)
FIRM = (
    "Nordlys Energy reported revenue of 4.2 billion kroner in 2021, up 12% from 2020. Net income fell to 310 million "
    "kroner. The company employs 1,840 people in Bergen and Oslo. It has no debt."
)
TRIAL = (
    "In the trial, 214 patients received the drug and 209 a placebo. Mortality after 28 days was 11.3% in the "
    "treatment group and 14.9% in the control group. The difference was not statistically significant. Dr. Elena Marsh "
    "led the study."
)
CHINESE = "信标磨坊位于肯特郡，建于1772年。该磨坊最后一次运转是在1955年。磨坊高23米，由汉弗莱家族建造。水坝不发电。"

BORNE = [
    (MILL, "Beacon Mill stopped working in 1955."),
    (MILL, "Beacon Mill is located in Kent."),
    (MILL, "The mill was built in 1772."),
    (MILL, "The Humphrey family built the mill in 1772."),
    (MILL, "The mill is equipped with 4 patent sails."),
    (MILL, "1955"),
    (DAM, "Construction of the Aldridge Dam finished in 1970."),
    (DAM, "The dam is 134 m tall."),
    (DAM, "The Aldridge Dam has a height of 134 metres."),
    (DAM, "The dam generates no electricity."),
    (DAM, "Merton and Calne get their water from the reservoir."),
    (DAM, "The Aldridge Dam, completed in 1970, is 134 metres high."),
    (DAM, "It took six years to build the dam."),
    (DAM, "It took 6 years to build the dam."),
    (DAM, "The dam's reservoir holds 2.5 km³ of water."),
    (FIRM, "Nordlys Energy's revenue was 4.2 billion kroner in 2021."),
    (FIRM, "Nordlys Energy's revenue was 4,200 million kroner in 2021."),
    (FIRM, "Revenue rose by 12% compared with 2020."),
    (FIRM, "Net income dropped to 310 million kroner."),
    (FIRM, "The company has 1840 employees."),
    (FIRM, "Nordlys Energy has offices in Bergen and Oslo."),
    (TRIAL, "Mortality at 28 days was 11.3% with the drug and 14.9% with placebo."),
    (TRIAL, "The study was led by Elena Marsh."),
    (TRIAL, "The difference in mortality was not significant."),
    (TRIAL, "The trial included 214 treated patients and 209 on placebo."),
    (CHINESE, "磨坊建于1772年。"),
    (CHINESE, "该磨坊最后运转于1955年。"),
    (CHINESE, "磨坊的高度是23米。"),
    (CHINESE, "信标磨坊在肯特郡。"),
    (CHINESE, "水坝不发电。"),
]
NOT_BORNE = [
    (MILL, "Beacon Mill stopped working in 1921."),
    (MILL, "Beacon Mill is located in Sussex."),
    (MILL, "Beacon Mill is located in (Sussex)."),
    (MILL, "Beacon Mill is not in Kent."),
    (MILL, "The mill was built in 1722."),
    (MILL, "Beacon Mill was built in 1955."),
    (MILL, "Beacon Mill was last worked in 1772."),
    (MILL, "The mill was built by the Archer family."),
    (MILL, "The mill has three patent sails."),
    (MILL, "The mill has 5 sails."),
    (MILL, "The mill burnt down."),
    (MILL, "Beacon Mill was moved to Mars in 3021."),
    (DAM, "The dam was completed in 1968."),
    (DAM, "The dam was completed in 134."),
    (DAM, "The dam was never completed."),
    (DAM, "The dam produces electricity."),
    (DAM, "The dam is 143 metres high."),
    (DAM, "The dam is 6 metres high."),
    (DAM, "The reservoir supplies Merton and Devizes."),
    (DAM, "The Aldridge Dam was designed by John Carver."),
    (DAM, "The dam holds 25 cubic kilometres of water."),
    (FIRM, "Revenue was 4.2 million kroner in 2021."),
    (FIRM, "Net income rose to 320 million kroner."),
    (FIRM, "The company has large debts."),
    (FIRM, "The company employs 1,480 people."),
    (FIRM, "The company employs 310 million people."),
    (FIRM, "Revenue rose by 21% in 2021."),
    (TRIAL, "The difference was statistically significant."),
    (TRIAL, "Dr. Elena Park led the study."),
    (TRIAL, "Paris is the capital of France."),
    (CHINESE, "磨坊建于1872年。"),
    (CHINESE, "水坝发电。"),
    (CHINESE, "磨坊高32米。"),
    (CHINESE, "信标磨坊位于萨塞克斯郡。"),
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def text_of(text: str, source: str = "guide.txt", entry_id: str | None = "e1", *barred: str) -> SourceText:
    ranges = tuple((text.index(part), text.index(part) + len(part)) for part in barred)
    return SourceText(source, text, entry_id, ranges)


def borne_by(sentence: str, *texts: SourceText, embedder: Embedder | None = None) -> list[str]:
    return [quote.text for quote in Grounding(embedder or HashEmbedder(), NoJudge()).quotes(sentence, texts)]


@pytest.mark.parametrize(("text", "sentence"), BORNE)
def test_a_sentence_that_says_what_the_text_says_is_borne(text: str, sentence: str, embedder: Embedder) -> None:
    assert borne_by(sentence, text_of(text), embedder=embedder)


@pytest.mark.parametrize(("text", "sentence"), NOT_BORNE)
def test_a_changed_figure_name_or_negation_is_not_borne(text: str, sentence: str, embedder: Embedder) -> None:
    assert borne_by(sentence, text_of(text), embedder=embedder) == []


@pytest.mark.parametrize(("text", "sentence"), NOT_BORNE)
def test_nor_does_it_pass_where_texts_are_compared_by_words_alone(text: str, sentence: str) -> None:
    assert borne_by(sentence, text_of(text)) == []


def test_a_quote_is_the_passage_word_for_word_where_it_stands() -> None:
    (quote,) = BY_WORDS.quotes("The dam is 134 metres high.", [text_of(DAM, "dam.txt", "e4")])
    assert DAM[quote.start : quote.end] == quote.text
    assert quote.text.startswith("It is 134 metres high")
    assert (quote.source, quote.entry_id) == ("dam.txt", "e4")
    (found,) = BY_WORDS.quotes("The dam is 134 metres high.", [text_of(DAM, "dam.txt", None)])
    assert found.entry_id is None


@pytest.mark.parametrize(
    ("sentence", "quotes"),
    [
        ("Press All conflicts, or open the page Conflicts.", 1),
        ("Press All conflicts, or do not open the page Conflicts.", 0),
        ("Press All conflicts.", 0),
        ("Open the page All conflicts, or press Conflicts.", 0),
        ("", 0),
    ],
)
def test_a_sentence_that_leaves_out_a_word_or_two_is_borne_whatever_the_networks_say(
    sentence: str, quotes: int
) -> None:
    class Denying(NoJudge):
        def judge(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[PairJudgement]:
            return [PairJudgement(0.0, 0.0, 1.0)] * len(pairs)

    texts = [SourceText("guide.md", "***\n\n5. Press **All conflicts**, or open the page **Conflicts**.", "e1")]
    assert len(Grounding(HashEmbedder(), Denying()).quotes(sentence, texts)) == quotes


def test_figures_may_stand_in_several_passages() -> None:
    texts = [text_of("The dam was finished in 1970.", "a"), text_of("The finished dam is 134 m high.", "b")]
    assert len(borne_by("The dam, finished in 1970, is 134 m high.", *texts)) == 2
    assert borne_by("The dam, finished in 1970, is 134 m high.", texts[0]) == []


def test_no_more_than_a_few_passages_are_put_together() -> None:
    parts = [text_of(f"The dam has {n} gates and towers.", f"{n}.txt") for n in range(21, 22 + MOST_QUOTES)]
    sentence = "The dam has {} gates and towers."
    assert len(borne_by(sentence.format("21, 22, 23"), *parts)) == MOST_QUOTES
    assert borne_by(sentence.format("21, 22, 23, 24"), *parts) == []


def test_a_figure_from_a_passage_about_something_else_does_not_count() -> None:
    assert borne_by("The mill was built in 1970.", text_of(MILL), text_of(DAM, "dam.txt", "e2")) == []


def test_a_name_must_stand_in_a_text_that_a_passage_is_from() -> None:
    """Not in any text that happens to be there."""
    tower = text_of("The tower is open to visitors every day.", "tower.txt")
    other = text_of("Anna Wells keeps bees in the valley.", "bees.txt", "e2")
    assert borne_by("The tower is open to visitors every day.", tower, other)
    assert borne_by("The tower is open to visitors, says Anna Wells, every day.", tower) == []
    about = text_of("Anna Wells wrote this. The tower is open to visitors every day.", "tower.txt")
    assert borne_by("The tower is open to visitors every day, says Anna Wells.", about)


def test_a_name_in_a_source_s_own_name_counts() -> None:
    tower = text_of("It is open to visitors every day.", "Harlow Tower.pdf")
    assert borne_by("The tower, Harlow, is open to visitors every day.", tower)


@pytest.mark.parametrize("sentence", ["Beacon Mill was last worked in 1955.", "It was last worked in 1955."])
def test_a_barred_range_bears_nothing(sentence: str) -> None:
    text = "Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."
    assert borne_by(sentence, text_of(text))
    assert borne_by(sentence, text_of(text, "guide.txt", "e1", "was last worked in 1955")) == []


def test_what_is_barred_in_one_text_is_borne_by_another_that_says_it() -> None:
    sentence = "Beacon Mill was last worked in 1955."
    barred = text_of(sentence, "guide.txt", "e1", sentence)
    assert [q.source for q in BY_WORDS.quotes(sentence, [barred, text_of(sentence, "b.txt")])] == ["b.txt"]


def test_a_refuted_claim_without_a_figure_finds_no_other_passage_that_is_roughly_like_it() -> None:
    text = "The mill on the hill is made of brick. The mill on the hill is made to last."
    assert borne_by("The mill on the hill is made of brick.", text_of(text))
    barred = text_of(text, "guide.txt", "e1", "The mill on the hill is made of brick.")
    assert borne_by("The mill on the hill is made of brick.", barred) == []


def test_a_barred_claim_with_another_figure_does_not_stand_in_the_way() -> None:
    wrong = text_of("Beacon Mill ceased working in 1955.", "a.txt", "e1", "Beacon Mill ceased working in 1955.")
    right = text_of("It last worked in 1921, Beacon Mill.", "b.txt", "e2")
    assert borne_by("Beacon Mill ceased working in 1921.", wrong, right) == [right.text]


def test_of_two_documents_that_contradict_each_other_the_one_that_agrees_is_cited(embedder: Embedder) -> None:
    yes = text_of("The dam produces electricity for Merton.", "yes.txt")
    no = text_of("The dam does not produce electricity.", "no.txt", "e2")
    assert borne_by("The dam generates no electricity.", yes, no, embedder=embedder) == [no.text]
    assert borne_by("The dam produces power for Merton.", yes, no, embedder=embedder) == [yes.text]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The mill has four sails.", "The mill has 4 sails."),
        ("The mill has 4 sails.", "The mill has four sails."),
        ("The mill has twenty-one steps.", "The mill has 21 steps."),
        ("The mill cost 1.5 million pounds.", "The mill cost 1,500,000 pounds."),
        ("The mill cost two thousand pounds.", "The mill cost 2000 pounds."),
        ("磨坊耗资3亿英镑。", "磨坊耗资30000万英镑。"),
        ("磨坊有4个帆。", "磨坊有四个帆。"),
        ("One of the mills has 4 sails.", "The mill of the mills has 4 sails."),
    ],
)
def test_a_figure_is_the_same_however_it_is_written(said: str, text: str) -> None:
    assert borne_by(said, text_of(text)) == [text]


@pytest.mark.parametrize("sentence", ["", "?", "**", "Yes.", "。"])
@pytest.mark.parametrize("texts", [[], [SourceText("a", "")], [SourceText("a", MILL)]])
def test_what_says_nothing_is_borne_by_nothing(sentence: str, texts: list[SourceText]) -> None:
    assert BY_WORDS.quotes(sentence, texts) == ()


def test_the_page_of_a_place_is_the_last_that_began_before_it() -> None:
    text = SourceText("a.pdf", "x" * 30, pages=((0, 4), (10, 5), (20, 6)))
    assert [text.page_at(place) for place in (0, 9, 10, 29)] == [4, 4, 5, 6]
    assert SourceText("a.txt", "x").page_at(0) is None
