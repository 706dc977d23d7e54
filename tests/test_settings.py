from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_bank.errors import SettingsError, UsageError
from memory_bank.settings import AGENTS, Settings, load_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None of the variables of whoever runs the tests, and no `.env`."""
    for variable in os.environ:
        if variable.lower() in Settings.model_fields or variable.lower().startswith(AGENTS):
            monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)


def test_the_defaults_are_those_of_the_specification() -> None:
    found = load_settings()
    assert (found.llm_provider, found.embedding_model) == ("offline", "all-MiniLM-L6-v2")
    assert (found.retrieval_k, found.retrieval_alpha, found.chunk_ratio) == (5, 0.5, 0.9)
    assert found.max_context_tokens == 128_000
    assert [found.agent(name).window for name in AGENTS] == [32_000] * 6


SET = [
    ("RETRIEVAL_K", "8", "retrieval_k", 8),
    ("RETRIEVAL_K", "1", "retrieval_k", 1),
    ("RETRIEVAL_ALPHA", "0", "retrieval_alpha", 0.0),
    ("RETRIEVAL_ALPHA", "1", "retrieval_alpha", 1.0),
    ("CHUNK_RATIO", "1.0", "chunk_ratio", 1.0),
    ("EMBEDDING_MODEL", "hash", "embedding_model", "hash"),
    ("STORAGE_DIR", "/var/lib/bank", "storage_dir", Path("/var/lib/bank")),
    ("MAX_CONTEXT_TOKENS", "64000", "max_context_tokens", 64_000),
    ("LLM_PROVIDER", "offline", "llm_provider", "offline"),
    ("retrieval_k", "9", "retrieval_k", 9),
]


@pytest.mark.parametrize(("variable", "text", "name", "value"), SET)
def test_a_variable_of_the_environment_sets_its_field(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, name: str, value: object
) -> None:
    monkeypatch.setenv(variable, text)
    assert getattr(load_settings(), name) == value


WRONG = [
    ("LLM_PROVIDER", "oracle", "offline"),
    ("RETRIEVAL_K", "0", "1"),
    ("RETRIEVAL_K", "101", "100"),
    ("RETRIEVAL_K", "five", "integer"),
    ("RETRIEVAL_K", "5.5", "integer"),
    ("RETRIEVAL_K", "", "integer"),
    ("RETRIEVAL_ALPHA", "1.1", "1"),
    ("RETRIEVAL_ALPHA", "-0.1", "0"),
    ("RETRIEVAL_ALPHA", "nan", "1"),
    ("RETRIEVAL_ALPHA", "inf", "1"),
    ("RETRIEVAL_ALPHA", "half", "number"),
    ("CHUNK_RATIO", "0", "0"),
    ("CHUNK_RATIO", "1.01", "1"),
    ("MAX_CONTEXT_TOKENS", "10", "1000"),
    ("MAX_STEPS", "0", "1"),
    ("MERGE_DEPTH", "-1", "0"),
    ("CLASSIFICATION_WINDOW", "100", "512"),
    ("CLASSIFICATION_WINDOW", "wide", "integer"),
    ("PLANNING_PROVIDER", "oracle", "offline"),
    ("REACT", "yes", "REACT_WINDOW"),
    ("ANALYSIS", "1", "ANALYSIS_WINDOW"),
]


@pytest.mark.parametrize(("variable", "value", "allowed"), WRONG)
def test_a_wrong_value_is_refused_with_its_name_what_it_is_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert (raised.value.variable, raised.value.value) == (variable, value)
    assert allowed in raised.value.allowed
    assert str(raised.value) == f"{variable} is {value!r}; allowed: {raised.value.allowed}"
    assert isinstance(raised.value, UsageError)


def test_every_number_that_is_set_has_a_bound_and_a_wrong_one_names_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = [name for name, field in Settings.model_fields.items() if field.annotation in (int, float)]
    assert len(numbers) >= 7
    for name in numbers:
        monkeypatch.setenv(name.upper(), "-1")
        with pytest.raises(SettingsError, match=f"{name.upper()} is '-1'"):
            load_settings()
        monkeypatch.delenv(name.upper())


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_has_its_own_window_and_provider(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"{name.upper()}_WINDOW", "2048")
    monkeypatch.setenv(f"{name.upper()}_PROVIDER", "offline")
    found = load_settings()
    assert [found.agent(other).window for other in AGENTS if other != name] == [32_000] * 5
    assert (found.agent(name).window, found.agent(name).provider, found.provider(name)) == (2048, "offline", "offline")


def test_an_agent_without_a_provider_has_the_common_one() -> None:
    found = load_settings()
    assert {found.agent(name).provider for name in AGENTS} == {None}
    assert {found.provider(name) for name in AGENTS} == {"offline"}


def test_variables_of_other_programs_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("REACT_APP_API_URL", "REACT_APP", "PLANNING_DATABASE", "LLM_FOO", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "https://example.org")
    assert load_settings().react.window == 32_000


def test_a_file_sets_what_the_environment_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("RETRIEVAL_K=7\nCHUNK_RATIO=0.5\nREACT_WINDOW=4096\nREACT_APP_X=1\nOTHER=1\n")
    monkeypatch.setenv("RETRIEVAL_K", "6")
    found = load_settings()
    assert (found.retrieval_k, found.chunk_ratio, found.react.window) == (6, 0.5, 4096)
    assert load_settings(retrieval_k=3).retrieval_k == 3


def test_a_wrong_value_in_a_file_is_named_as_well() -> None:
    Path(".env").write_text("RETRIEVAL_K=700\n")
    with pytest.raises(SettingsError, match="RETRIEVAL_K is '700'"):
        load_settings()


def test_a_file_that_is_no_text_is_refused_by_name() -> None:
    Path(".env").write_bytes(b"RETRIEVAL_K=\xff\xfe7\n")
    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings()


def test_a_value_given_by_hand_is_checked_like_one_of_the_environment() -> None:
    with pytest.raises(SettingsError, match="RETRIEVAL_ALPHA is '2'"):
        load_settings(retrieval_alpha=2)


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().retrieval_k = 9  # type: ignore[misc]


# -- what goes into the export -------------------------------------------------------------------------------


def words(value: Any) -> list[str]:
    """Every text in a value, keys included."""
    if isinstance(value, dict):
        return [word for key, item in value.items() for word in (key, *words(item))]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
        ("/home/ada/models/mine", "mine"),
        ("/home/ada/models/mine/", "mine"),
        ("~/models/mine", "mine"),
        ("../../ada/models/mine", "mine"),
        ("C:\\Users\\ada\\mine", "mine"),
    ],
)
def test_the_public_settings_name_a_model_without_the_place_where_it_lies(model: str, shown: str) -> None:
    public = load_settings(embedding_model=model, storage_dir=Path("/home/ada/sessions")).public()
    assert public["embedding_model"] == shown
    assert not any("ada" in word for word in words(public))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("abc._-", min_size=1, max_size=4), min_size=1, max_size=5), st.sampled_from(["/", "\\"]))
def test_the_public_settings_hold_no_absolute_path(parts: list[str], separator: str) -> None:
    public = load_settings(embedding_model=separator + separator.join(parts), storage_dir=Path(*parts)).public()
    assert not any(word.startswith(("/", "\\")) for word in words(public))
    assert "storage_dir" not in public


def test_the_public_settings_are_plain_json_and_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "SERPER_API_KEY", "JINA_API_KEY"):
        monkeypatch.setenv(variable, "sk-secret")
    public = load_settings().public()
    assert "sk-secret" not in words(public)
    assert (public["retrieval_k"], public["react"]["window"]) == (5, 32_000)
