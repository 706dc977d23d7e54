"""Classification without a model: the topics joined are the text, and each has a context that names its subject."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Section
from memory_bank.engines.offline.classification import CONTEXT_CHARACTERS, classify
from memory_bank.search.embedding import Embedder, load_embedder
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.text.chunking import PASSAGE_TOKENS

HASH = HashEmbedder()
DAMS = "The dam across the river holds back a lake. Water from the lake drives turbines below the dam. "
SHEEP = "Sheep graze on the downs all summer. Shepherds shear the flock in June and sell the wool. "
MUSIC = "The quartet plays Haydn and Mozart. Its cellist studied in Vienna and owns an old cello. "


def topics(text: str, embedder: Embedder = HASH, **more: object) -> ClassificationOutput:
    return classify(ClassificationInput.model_validate({"text": text, "source": "a.txt", **more}), embedder)


def contents(text: str, output: ClassificationOutput) -> list[str]:
    return [cluster.content(text) for cluster in output.clusters]


def headed(*parts: tuple[str, str]) -> tuple[str, tuple[Section, ...]]:
    """A text of parts under headings, as the document readers give it."""
    text, sections = "", []
    for title, body in parts:
        sections.append(Section(start=len(text), end=len(text) + len(title), title=title))
        text += f"{title}\n\n{body}\n\n"
    return text, tuple(sections)


def test_a_short_text_is_one_topic_named_by_its_central_sentence() -> None:
    output = topics(f"{DAMS}{DAMS}")
    (cluster,) = output.clusters
    assert not output.should_cluster
    assert cluster.cluster_id == 1
    assert cluster.context in DAMS
    assert "dam" in " ".join(cluster.keywords)


def test_no_text_is_no_topic() -> None:
    assert topics("") == ClassificationOutput(should_cluster=False, clusters=())


def test_every_section_is_a_topic_of_its_own_named_by_its_heading() -> None:
    text, sections = headed(("Dams", DAMS), ("Sheep", SHEEP), ("More sheep", SHEEP))
    output = topics(text, sections=sections)
    assert output.should_cluster
    assert [cluster.context for cluster in output.clusters] == ["Dams", "Sheep", "More sheep"]
    assert [content.split("\n")[0] for content in contents(text, output)] == ["Dams", "Sheep", "More sheep"]
    assert [cluster.cluster_id for cluster in output.clusters] == [1, 2, 3]


def test_a_chapter_title_belongs_to_the_section_that_follows_it() -> None:
    text, sections = headed(("Part one", ""), ("Dams", DAMS), ("Sheep", SHEEP))
    output = topics(text, sections=sections)
    assert [cluster.context for cluster in output.clusters] == ["Dams", "Sheep"]
    assert contents(text, output)[0].startswith("Part one")


def test_text_before_the_first_heading_is_named_by_its_central_sentence() -> None:
    text, sections = headed(("Sheep", SHEEP))
    shift = len(DAMS) + 2
    moved = tuple(Section(start=s.start + shift, end=s.end + shift, title=s.title) for s in sections)
    output = topics(f"{DAMS}\n\n{text}", sections=moved)
    assert [cluster.context for cluster in output.clusters][1] == "Sheep"
    assert output.clusters[0].context in DAMS


def test_the_title_comes_before_the_heading_unless_it_says_the_same() -> None:
    text, sections = headed(("Dams", DAMS), ("Dams of Kent", DAMS))
    contexts = [cluster.context for cluster in topics(text, sections=sections, title="Dams of Kent").clusters]
    assert contexts == ["Dams of Kent", "Dams of Kent"]
    contexts = [cluster.context for cluster in topics(text, sections=sections, title="Water").clusters]
    assert contexts == ["Water: Dams", "Water: Dams of Kent"]


def test_all_topics_of_a_long_section_have_its_heading() -> None:
    text, sections = headed(("Dams", DAMS * 80))
    output = topics(text, sections=sections)
    assert len(output.clusters) > 1
    assert {cluster.context for cluster in output.clusters} == {"Dams"}


def test_a_long_text_on_one_subject_is_split_into_topics_of_bounded_length() -> None:
    text = DAMS * 100
    output = topics(text)
    assert len(output.clusters) > 1
    assert all(HASH.count_tokens(content) <= 3 * PASSAGE_TOKENS for content in contents(text, output))


@pytest.mark.parametrize("title", ["Water", None])
@pytest.mark.parametrize("heading", ["A heading that never ends " * 20, "\n \t", "Dams\nof\nKent"])
def test_a_context_is_one_line_within_its_bound(heading: str, title: str | None) -> None:
    text, sections = headed((heading, DAMS), (heading, SHEEP))
    for cluster in topics(text, sections=sections, title=title).clusters:
        assert 0 < len(cluster.context) <= CONTEXT_CHARACTERS
        assert "\n" not in cluster.context


@pytest.mark.parametrize("blank", ["", "\n", " \n\t\n", "\n\n\n\n"])
def test_a_blank_page_or_margin_is_no_topic_of_its_own(blank: str) -> None:
    pages = [blank, DAMS, blank, blank, DAMS, blank]
    text = "\n\n".join(pages)
    starts = tuple(sum(len(page) + 2 for page in pages[:number]) for number in range(len(pages)))
    output = topics(text, breaks=starts)
    assert "".join(contents(text, output)) == text
    assert all(content.strip() for content in contents(text, output))


def test_white_space_before_the_first_heading_is_no_topic_of_its_own() -> None:
    text, sections = headed(("Dams", DAMS))
    moved = tuple(Section(start=s.start + 2, end=s.end + 2, title=s.title) for s in sections)
    assert [cluster.context for cluster in topics(f"\n\n{text}", sections=moved).clusters] == ["Dams"]


PIECES = st.sampled_from(
    ["The dam is tall.", "Sheep", "\n\n", "\n", " ", "坝很高。", "# Head\n", "x" * 300, "1970", ""]
)
PLACES = st.lists(st.integers(-3, 400), max_size=6)


@given(
    st.lists(PIECES, max_size=60).map(" ".join) | st.text(max_size=60), PLACES, PLACES, st.none() | st.text(max_size=9)
)
def test_whatever_the_text_its_headings_and_pages_the_topics_joined_are_the_text(
    text: str, headings: list[int], breaks: list[int], title: str | None
) -> None:
    sections = tuple(Section(start=start, end=start + 4, title="Head") for start in sorted(set(headings)) if start >= 0)
    output = topics(text, sections=sections, breaks=tuple(breaks), title=title)
    assert "".join(contents(text, output)) == text
    assert output.should_cluster == (len(output.clusters) > 1)
    assert all(len(cluster.context) <= CONTEXT_CHARACTERS for cluster in output.clusters)
    if text.strip():
        assert all(content.strip() for content in contents(text, output))
        assert all(cluster.context for cluster in output.clusters)


def test_a_change_of_meaning_starts_a_new_topic() -> None:
    """With the real model, in a text without headings: each subject is longer than a passage."""
    text = "\n\n".join((DAMS * 9, SHEEP * 9, MUSIC * 9))
    pieces = contents(text, topics(text, load_embedder()))
    about = [{name for name in ("dam", "Sheep", "cello") if name in piece} for piece in pieces]
    assert len(pieces) >= 3
    assert sum(len(names) == 1 for names in about) >= len(pieces) - 2
    assert {name for names in about for name in names} == {"dam", "Sheep", "cello"}
