"""Settings from the environment, `.env` or the page; wrong values are refused at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.task_kind import TaskKind
from memory_bank.text.wording import Wording, mark_for_translation

Provider = Literal["offline", "openai", "deepseek", "local"]
_MODEL_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_PATH = re.compile(r"[/\\~.]|[A-Za-z]:[/\\]")
NOT_SHOWN = "[not shown]"
"""Replaces a value in a message that is, contains or might be a secret key."""
_MILVUS_SERVER = re.compile(r"(https?|tcp)://[^\s/]+|unix:\S")
_ALLOWED = {
    "string_pattern_mismatch": mark_for_translation("an address that begins with http:// or https://"),
    "bool_parsing": mark_for_translation("true or false"),
    "int_parsing": mark_for_translation("a valid integer"),
    "float_parsing": mark_for_translation("a valid number"),
    "finite_number": mark_for_translation("a finite number"),
    "greater_than": mark_for_translation("greater than {gt}"),
    "greater_than_equal": mark_for_translation("greater than or equal to {ge}"),
    "less_than_equal": mark_for_translation("less than or equal to {le}"),
    "string_too_short": mark_for_translation("String should have at least 1 character"),
}
"""What may be instead, by pydantic's name of the error."""
AGENTS = ("classification", "structure", "analysis", "integration", "planning", "react", "research", "remember")
"""The six agents, plus `research` and `remember`, whose three and two judgements share one group of settings each."""
PROVIDERS = ("openai", "deepseek", "local")
PRESETS: Mapping[str, frozenset[str]] = {
    "fast": frozenset({"react"}),
    "balanced": frozenset({"analysis", "planning", "react", "research"}),
    "best": frozenset(AGENTS),
}
"""The agents that the provider of LLM_PROVIDER does, by preset; the embedded engine does the others."""


def _stripped_key(key: SecretStr | None) -> SecretStr | None:
    """The key without white space around it; None for a blank one. `ValueError` unless it is printable ASCII."""
    text = key.get_secret_value().strip() if key is not None else ""
    if not (text.isascii() and text.isprintable()):
        raise ValueError(Wording("a key of letters, digits and signs"))
    return SecretStr(text) if text else None


Key = Annotated[SecretStr | None, AfterValidator(_stripped_key)]


def _checked_memory_uri(uri: str) -> str:
    """The URI of long-term memory: a Milvus Lite file or a Milvus server. `ValueError` for anything else."""
    if not (_MILVUS_SERVER.match(uri) or (uri.endswith(".db") and "://" not in uri)):
        raise ValueError(Wording("a file that ends in .db, or an address that begins with http:// or https://"))
    return uri


MemoryUri = Annotated[str, AfterValidator(_checked_memory_uri)]


class AgentSettings(BaseModel):
    """The settings of one agent. `window` is the number of input tokens, without those of the output.

    None means: provider and model as for all agents; temperature and top-p as in the agent's table (specification,
    section 2).
    """

    # Not "forbid": the environment may hold names such as REACT_APP_URL that belong to other programs.
    model_config = ConfigDict(extra="ignore", frozen=True)

    provider: Provider | None = None
    model: str | None = Field(None, min_length=1)
    window: int = Field(32_000, ge=512)
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    top_p: float | None = Field(None, gt=0.0, le=1.0)


class ReactSettings(AgentSettings):
    """The settings of ReAct. `tools` is how tools are offered to the model: in the request or described in the prompt.

    `images` is whether the model gets images to read. "auto" means with OpenAI only: the models of others may ignore an
    image without saying so.
    """

    tools: Literal["auto", "native", "tags"] = "auto"
    images: Literal["auto", "yes", "no"] = "auto"


class ProviderSettings(BaseModel):
    """A provider's server address, model and API key. The key is never shown or written."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    api_key: Key = None
    base_url: str | None = Field(None, pattern=r"^https?://[^\s/]+\S*$", repr=False)  # it may hold a password
    model: str | None = Field(None, min_length=1)


class Settings(BaseSettings):
    """All settings. The environment variable of a field is its name in capitals."""

    model_config = SettingsConfigDict(
        env_file=".env",
        extra="ignore",
        frozen=True,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        hide_input_in_errors=True,  # it may be a key
        enable_decoding=False,  # a group name alone, `OPENAI=...`, is refused instead of read as JSON
    )

    llm_provider: Provider = "offline"
    llm_preset: Literal["fast", "balanced", "best"] = Field("best", description="which agents LLM_PROVIDER does")
    embedding_model: str = "all-MiniLM-L6-v2"
    vector_uri: str | None = Field(None, min_length=1, repr=False)  # of Milvus; it may hold a password
    retrieval_k: int = Field(5, ge=1, le=100)
    retrieval_alpha: float = Field(0.5, ge=0.0, le=1.0)
    llm_temperature: float = Field(0.6, ge=0.0, le=2.0)
    llm_top_p: float = Field(0.95, gt=0.0, le=1.0)
    llm_max_tokens: int = Field(4_096, ge=64, description="tokens of one answer of a model")
    llm_timeout: float = Field(120.0, gt=0.0, allow_inf_nan=False, description="seconds a model's server may be silent")
    max_llm_call_per_run: int = Field(60, ge=1, description="requests in one step of ReAct")
    max_total_tokens: int | None = Field(None, ge=1, description="tokens a session may spend on models")
    max_cost_usd: float | None = Field(
        None, gt=0.0, allow_inf_nan=False, description="money a session may spend on models"
    )
    parallel_calls: int = Field(4, ge=1, le=32, description="requests that may wait side by side")
    analysis_mode: Literal["single", "two_phase"] = "single"
    task_kind: Literal["auto"] | TaskKind = Field("auto", description="what the embedded engine takes a task for")
    serper_api_key: Key = None
    jina_api_key: Key = None
    max_context_tokens: int = Field(128_000, ge=1_000)
    memory_tokens: int = Field(4_000, ge=100, description="tokens of memory put before a step")
    storage_dir: Path = Path("sessions")
    temp_dir: Path | None = Field(None, description="where images wait to be read; by default in STORAGE_DIR")
    list_all_sessions: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] | None = None
    log_format: Literal["text", "json"] = "text"
    metrics: bool = False
    find_local_models: Literal["auto", "yes", "no"] = "auto"
    max_running_sessions: int = Field(8, ge=1, description="sessions that work at a time; the others wait in a queue")
    sessions_kept_days: float | None = Field(None, gt=0.0, allow_inf_nan=False, description="then a session is removed")
    sessions_max_mb: int | None = Field(None, ge=1, description="of all sessions; past it the oldest is removed")
    long_term_uri: MemoryUri | None = Field(None, repr=False)  # it may hold a password
    long_term_query: Literal["context", "rewrite", "hyde"] = "context"
    chunk_ratio: float = Field(0.9, gt=0.0, le=1.0)
    max_steps: int = Field(60, ge=1)
    merge_depth: int = Field(5, ge=0)
    summary_characters: int = Field(900, ge=100)

    classification: AgentSettings = AgentSettings()
    structure: AgentSettings = AgentSettings()
    analysis: AgentSettings = AgentSettings()
    integration: AgentSettings = AgentSettings()
    planning: AgentSettings = AgentSettings()
    react: ReactSettings = ReactSettings()
    research: AgentSettings = AgentSettings()
    remember: AgentSettings = AgentSettings()

    openai: ProviderSettings = ProviderSettings()
    deepseek: ProviderSettings = ProviderSettings()
    local: ProviderSettings = ProviderSettings()

    def agent(self, name: str) -> AgentSettings:
        """The settings of an agent. `research` and `remember` use those of ReAct where they have none of their own."""
        own: AgentSettings = getattr(self, name)
        if name not in ("research", "remember"):
            return own
        react = self.react
        if own.provider not in (None, react.provider or self.llm_provider):
            return own  # another provider has neither ReAct's model nor its window
        return own.model_copy(
            update={
                "provider": own.provider or react.provider,
                "model": own.model or react.model,
                "window": own.window if "window" in own.model_fields_set else react.window,
            }
        )

    def provider(self, name: str) -> Provider:
        """The provider that makes an agent's judgements: its own, or that for all agents if the preset has it."""
        return self.agent(name).provider or (self.llm_provider if name in PRESETS[self.llm_preset] else "offline")

    def public(self) -> dict[str, Any]:
        """The settings for the log and the export: without secrets, and without what concerns only this machine."""
        places = {"storage_dir", "temp_dir", "long_term_uri", "vector_uri"}
        server = {"log_level", "log_format", "metrics", "list_all_sessions", "find_local_models"}
        server |= {"max_running_sessions", "sessions_kept_days", "sessions_max_mb"}
        excluded = places | server | {"serper_api_key", "jina_api_key"}
        public = self.model_dump(mode="json", exclude=excluded)
        for provider in PROVIDERS:
            public[provider] = {"model": public[provider]["model"]}
        for group in (*AGENTS, *PROVIDERS):
            public[group]["model"] = without_folder(public[group]["model"])
        if not _MODEL_NAME.fullmatch(self.embedding_model):  # a path to a model folder
            public["embedding_model"] = _last_part(self.embedding_model)
        return public


def without_folder(model: str | None) -> str | None:
    """The name of a model; for a file path, which a local server may use as a name, its last part."""
    return _last_part(model) if model and _PATH.match(model) else model


def _last_part(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def load_settings(**given: Any) -> Settings:  # noqa: ANN401 - whatever a field accepts
    """Settings from the environment, overridden by `given`. `SettingsError` if any are wrong; its `all` lists them."""
    try:
        return Settings(**given)
    except ValidationError as error:
        raise SettingsError.together([_settings_error(details) for details in error.errors()]) from error
    except UnicodeDecodeError as error:
        raise SettingsError(".env", "not UTF-8", Wording("text in UTF-8")) from error
    except OSError as error:
        raise SettingsError(".env", error.strerror or type(error).__name__, "a file that can be read") from error


def _settings_error(details: ErrorDetails) -> SettingsError:
    """The error for one wrong value, without the value if it may be secret."""
    variable = "_".join(str(part) for part in details["loc"]).upper()
    value = NOT_SHOWN if variable.endswith(("API_KEY", "BASE_URL", "LONG_TERM_URI")) else str(details.get("input"))
    if details["type"] == "model_type":
        return _group_name_error(variable, value)
    bounds = details.get("ctx", {})
    if details["type"] in _ALLOWED:
        return SettingsError(variable, value, Wording(_ALLOWED[details["type"]], **bounds))
    allowed = details["msg"].removeprefix("Input should be ").partition(", unable to")[0]
    return SettingsError(variable, value, str(bounds.get("error", allowed)))


def _group_name_error(variable: str, value: str) -> SettingsError:
    """The error for a value set under a group's name, `OPENAI=…`. A provider's value may be a key and is not shown."""
    group = type(getattr(Settings.model_construct(), variable.lower()))
    shown = NOT_SHOWN if group is ProviderSettings else value
    names = ", ".join(f"{variable}_{field.upper()}" for field in group.model_fields)
    return SettingsError(variable, shown, Wording("nothing under this name alone, only {names}", names=names))
