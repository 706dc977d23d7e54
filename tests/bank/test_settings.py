from __future__ import annotations

import logging
import os
import traceback
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_bank.bank.errors import SettingsError, UsageError
from memory_bank.bank.settings import AGENTS, PROVIDERS, Settings, load_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None of the variables of whoever runs the tests, and no `.env`."""
    for variable in os.environ:
        if variable.lower() in Settings.model_fields or variable.lower().startswith((*AGENTS, *PROVIDERS)):
            monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)


def test_the_defaults_are_those_of_the_specification() -> None:
    found = load_settings()
    assert (found.llm_provider, found.embedding_model) == ("offline", "all-MiniLM-L6-v2")
    assert (found.retrieval_k, found.retrieval_alpha, found.chunk_ratio) == (5, 0.5, 0.9)
    assert found.max_context_tokens == 128_000
    assert [found.agent(name).window for name in AGENTS] == [32_000] * len(AGENTS)
    assert (found.llm_temperature, found.llm_top_p, found.llm_max_tokens) == (0.6, 0.95, 4096)
    assert (found.max_llm_call_per_run, found.analysis_mode, found.react.tools) == (60, "single", "auto")
    assert (found.max_total_tokens, found.max_cost_usd) == (None, None)


SET = [
    ("RETRIEVAL_K", "8", "retrieval_k", 8),
    ("RETRIEVAL_K", "1", "retrieval_k", 1),
    ("RETRIEVAL_ALPHA", "0", "retrieval_alpha", 0.0),
    ("RETRIEVAL_ALPHA", "1", "retrieval_alpha", 1.0),
    ("CHUNK_RATIO", "1.0", "chunk_ratio", 1.0),
    ("EMBEDDING_MODEL", "hash", "embedding_model", "hash"),
    ("VECTOR_URI", "vectors.db", "vector_uri", "vectors.db"),
    ("STORAGE_DIR", "/var/lib/bank", "storage_dir", Path("/var/lib/bank")),
    ("MAX_CONTEXT_TOKENS", "64000", "max_context_tokens", 64_000),
    ("LLM_PROVIDER", "offline", "llm_provider", "offline"),
    ("retrieval_k", "9", "retrieval_k", 9),
    ("LLM_TEMPERATURE", "0", "llm_temperature", 0.0),
    ("LLM_TOP_P", "1", "llm_top_p", 1.0),
    ("LLM_MAX_TOKENS", "64", "llm_max_tokens", 64),
    ("LLM_TIMEOUT", "0.5", "llm_timeout", 0.5),
    ("MAX_LLM_CALL_PER_RUN", "1", "max_llm_call_per_run", 1),
    ("MAX_TOTAL_TOKENS", "1", "max_total_tokens", 1),
    ("MAX_COST_USD", "0.01", "max_cost_usd", 0.01),
    ("PARALLEL_CALLS", "32", "parallel_calls", 32),
    ("ANALYSIS_MODE", "two_phase", "analysis_mode", "two_phase"),
    ("LIST_ALL_SESSIONS", "true", "list_all_sessions", True),
    ("LIST_ALL_SESSIONS", "0", "list_all_sessions", False),
    ("LONG_TERM_URI", "kept/memory.db", "long_term_uri", "kept/memory.db"),
    ("LONG_TERM_URI", "http://localhost:19530", "long_term_uri", "http://localhost:19530"),
    *[("LLM_PROVIDER", name, "llm_provider", name) for name in PROVIDERS],
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
    ("REACT", "[]", "REACT_TOOLS"),
    ("REACT_TOOLS", "both", "'native'"),
    ("ANALYSIS_MODE", "three_phase", "'two_phase'"),
    ("REACT_TEMPERATURE", "2.1", "2"),
    ("RESEARCH_PROVIDER", "oracle", "offline"),
    ("RESEARCH_WINDOW", "100", "512"),
    ("RESEARCH_TEMPERATURE", "2.1", "2"),
    ("RESEARCH_TOP_P", "0", "0"),
    ("RESEARCH_MODEL", "", "1"),
    ("RESEARCH", "yes", "RESEARCH_WINDOW"),
    ("REACT_TEMPERATURE", "nan", "2"),
    ("PLANNING_TOP_P", "0", "0"),
    ("PLANNING_TOP_P", "1.1", "1"),
    ("PLANNING_MODEL", "", "1"),
    ("OPENAI_MODEL", "", "1"),
    ("LLM_TEMPERATURE", "-1", "0"),
    ("LLM_TOP_P", "0", "0"),
    ("LLM_MAX_TOKENS", "63", "64"),
    ("LLM_TIMEOUT", "0", "0"),
    ("LLM_TIMEOUT", "inf", "finite"),
    ("MAX_COST_USD", "0", "0"),
    ("MAX_COST_USD", "inf", "finite"),
    ("MAX_COST_USD", "free", "number"),
    ("MAX_TOTAL_TOKENS", "0", "1"),
    ("MAX_LLM_CALL_PER_RUN", "0", "1"),
    ("PARALLEL_CALLS", "33", "32"),
    ("LIST_ALL_SESSIONS", "mine", "true or false"),
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


@pytest.mark.parametrize(
    "uri", ["", "memory", "memory.sqlite", "ftp://example.org/memory.db", "http://", "postgres://x"]
)
def test_a_wrong_address_of_long_term_memory_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.setenv("LONG_TERM_URI", uri)
    with pytest.raises(SettingsError, match=r"LONG_TERM_URI is '\[not shown\]'; allowed: a file that ends in \.db"):
        load_settings()


def test_the_address_of_long_term_memory_may_hold_a_password_and_is_not_shown() -> None:
    settings = load_settings(long_term_uri="http://name:secret@localhost:19530")
    assert "secret" not in repr(settings) + str(settings.public())


def test_every_number_that_is_set_has_a_bound_and_a_wrong_one_names_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = (int, float, int | None, float | None)
    numbers = [name for name, field in Settings.model_fields.items() if field.annotation in kinds]
    assert len(numbers) >= 16
    for name in numbers:
        monkeypatch.setenv(name.upper(), "-1")
        with pytest.raises(SettingsError, match=f"{name.upper()} is '-1'"):
            load_settings()
        monkeypatch.delenv(name.upper())


def others(name: str) -> list[str]:
    """The agents that are set by themselves, without this one: those beside the six follow ReAct."""
    following = ("research", "remember") if name == "react" else ()
    return [other for other in AGENTS if other != name and other not in following]


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_has_its_own_window_and_provider(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"{name.upper()}_WINDOW", "2048")
    monkeypatch.setenv(f"{name.upper()}_PROVIDER", "offline")
    found = load_settings()
    assert {found.agent(other).window for other in others(name)} == {32_000}
    assert (found.agent(name).window, found.agent(name).provider, found.provider(name)) == (2048, "offline", "offline")


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_has_its_own_model_and_freedom(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable, text in (("MODEL", "qwen2.5:7b"), ("TEMPERATURE", "0"), ("TOP_P", "0.5"), ("PROVIDER", "local")):
        monkeypatch.setenv(f"{name.upper()}_{variable}", text)
    found = load_settings()
    own = found.agent(name)
    assert (own.model, own.temperature, own.top_p, found.provider(name)) == ("qwen2.5:7b", 0.0, 0.5, "local")
    rest = [found.agent(other) for other in others(name)]
    assert {(other.model, other.temperature, other.top_p, other.provider) for other in rest} == {(None,) * 4}


RESEARCH = [
    ({}, ("local", "big", 8_000)),
    ({"WINDOW": "4000"}, ("local", "big", 4_000)),
    ({"WINDOW": "32000"}, ("local", "big", 32_000)),
    ({"MODEL": "small"}, ("local", "small", 8_000)),
    ({"PROVIDER": "local"}, ("local", "big", 8_000)),
    ({"PROVIDER": "openai"}, ("openai", None, 32_000)),  # which has neither that model nor its window
    ({"PROVIDER": "openai", "MODEL": "gpt-4o", "WINDOW": "64000"}, ("openai", "gpt-4o", 64_000)),
    ({"PROVIDER": "offline"}, ("offline", None, 32_000)),
]


@pytest.mark.parametrize(("own", "expected"), RESEARCH)
def test_research_is_done_by_the_model_of_react_where_nothing_else_is_set(
    monkeypatch: pytest.MonkeyPatch, own: dict[str, str], expected: tuple[str, str | None, int]
) -> None:
    for name, text in {"PROVIDER": "local", "MODEL": "big", "WINDOW": "8000", "TEMPERATURE": "1.5"}.items():
        monkeypatch.setenv(f"REACT_{name}", text)
    for name, text in own.items():
        monkeypatch.setenv(f"RESEARCH_{name}", text)
    found = load_settings()
    research = found.agent("research")
    assert (found.provider("research"), research.model, research.window) == expected
    assert research.temperature is None, "how freely it judges is its own"


def test_research_follows_the_provider_of_all_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "local")
    monkeypatch.setenv("RESEARCH_PROVIDER", "local")
    monkeypatch.setenv("REACT_MODEL", "big")
    found = load_settings()
    assert (found.provider("research"), found.agent("research").model) == ("local", "big")


def test_the_mode_of_the_analysis_is_not_one_of_the_agents_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANALYSIS_MODE", "two_phase")
    monkeypatch.setenv("ANALYSIS_MODEL", "deepseek-chat")
    found = load_settings()
    assert (found.analysis_mode, found.analysis.model) == ("two_phase", "deepseek-chat")


@pytest.mark.parametrize("way", ["auto", "native", "tags"])
def test_react_alone_has_a_way_of_offering_tools(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setenv("REACT_TOOLS", way)
    monkeypatch.setenv("PLANNING_TOOLS", "of another program")
    assert load_settings().react.tools == way


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_provider_has_its_own_key_address_and_model(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable, text in (("API_KEY", "sk-1"), ("BASE_URL", "http://localhost:8000/v1"), ("MODEL", "m")):
        monkeypatch.setenv(f"{name.upper()}_{variable}", text)
    found = load_settings()
    own = getattr(found, name)
    assert (own.api_key.get_secret_value(), own.base_url, own.model) == ("sk-1", "http://localhost:8000/v1", "m")
    others = [getattr(found, other) for other in PROVIDERS if other != name]
    assert {(other.api_key, other.base_url, other.model) for other in others} == {(None, None, None)}


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
    assert {"storage_dir", "list_all_sessions"}.isdisjoint(public)


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("qwen2.5:7b", "qwen2.5:7b"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
        ("accounts/fireworks/models/llama", "accounts/fireworks/models/llama"),
        ("/home/ada/models/qwen.gguf", "qwen.gguf"),
        ("~/models/qwen.gguf", "qwen.gguf"),
        ("../ada/qwen.gguf", "qwen.gguf"),
        ("C:\\Users\\ada\\qwen.gguf", "qwen.gguf"),
        ("\\\\server\\ada\\qwen.gguf", "qwen.gguf"),
    ],
)
def test_a_model_of_a_local_server_is_shown_without_the_folder_of_its_file(model: str, shown: str) -> None:
    public = load_settings(local={"model": model}, react={"model": model}).public()
    assert (public["local"], public["react"]["model"]) == ({"model": shown}, shown)


# -- keys ----------------------------------------------------------------------------------------------------

KEYS = [*(f"{name.upper()}_API_KEY" for name in PROVIDERS), "SERPER_API_KEY", "JINA_API_KEY"]


def key_of(found: Settings, variable: str) -> str | None:
    group, _, _ = variable.lower().partition("_")
    held = getattr(found, group).api_key if group in PROVIDERS else getattr(found, variable.lower())
    return held and held.get_secret_value()


def test_the_public_settings_are_plain_json_and_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEYS:
        monkeypatch.setenv(variable, "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://ada:sk-secret@example.org/v1")
    found = load_settings()
    public = found.public()
    assert not any("sk-secret" in word or "example.org" in word or "***" in word for word in words(public))
    assert not any("key" in word or "url" in word for word in words(public))
    assert (public["retrieval_k"], public["react"]["window"]) == (5, 32_000)
    assert [key_of(found, variable) for variable in KEYS] == ["sk-secret"] * 5


def test_settings_show_no_secret_when_they_are_printed_or_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for variable in KEYS:
        monkeypatch.setenv(variable, "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://ada:sk-secret@example.org/v1")
    found = load_settings()
    logging.getLogger("test").warning("%s %r %s", found, found, found.openai)
    assert caplog.records
    assert "sk-secret" not in f"{found!r} {found} {found.openai!r} {caplog.text}"


@pytest.mark.parametrize("variable", KEYS)
@pytest.mark.parametrize(
    ("text", "key"),
    [("sk-1", "sk-1"), (" sk-1\r\n", "sk-1"), ("", None), ("  ", None), ("a_b.c-d/e+f=", "a_b.c-d/e+f=")],
)
def test_a_key_is_taken_without_the_space_around_it_and_a_blank_one_is_none(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, key: str | None
) -> None:
    monkeypatch.setenv(variable, text)
    assert key_of(load_settings(), variable) == key


SECRET = [
    *[(variable, "sk-secret ключ", "a key of letters") for variable in KEYS],
    *[(variable, "sk-secret\nX-Other: 1", "a key of letters") for variable in KEYS],
    *[(name.upper(), text, f"{name.upper()}_API_KEY") for name in PROVIDERS for text in ("sk-secret", "{sk-secret")],
    *[("OPENAI", text, "OPENAI_API_KEY") for text in ('"sk-secret"', '["sk-secret"]', "7", "")],
    ("OPENAI", '{"api_key": ["sk-secret"]}', "OPENAI_API_KEY"),
    ("OPENAI_BASE_URL", "sk-secret", "http://"),
    ("LOCAL_BASE_URL", "localhost:8000/v1", "http://"),
    ("DEEPSEEK_BASE_URL", "ftp://ada:sk-secret@example.org", "http://"),
]


@pytest.mark.parametrize(("variable", "value", "allowed"), SECRET)
@pytest.mark.parametrize("place", ["environment", "file"])
def test_what_may_be_a_key_is_refused_without_being_repeated(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, allowed: str, place: str
) -> None:
    if place == "environment":
        monkeypatch.setenv(variable, value)
    else:
        Path(".env").write_text(f"{variable}='{value}'\n", encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert raised.value.variable in (variable, "OPENAI_API_KEY")
    assert raised.value.value == "[not shown]"
    assert allowed in raised.value.allowed
    assert "sk-secret" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "given_by_hand",
    [{"openai": "sk-secret"}, {"openai": {"api_key": ["sk-secret"]}}, {"jina_api_key": {"a": "sk-secret"}}],
)
def test_a_key_that_is_given_by_hand_in_the_wrong_shape_is_not_repeated(given_by_hand: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(**given_by_hand)
    assert "sk-secret" not in "".join(traceback.format_exception(raised.value))
