"""Settings, from the environment, `.env` or the page. A wrong value is refused at start, by name (section 8)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import pydantic_settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory_bank.errors import SettingsError

Provider = Literal["offline"]
_MODEL_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_NOTHING = "nothing, only {0}_PROVIDER and {0}_WINDOW"
AGENTS = ("classification", "structure", "analysis", "integration", "planning", "react")


class AgentSettings(BaseModel):
    """One agent's own choices; `provider` None means `LLM_PROVIDER`. `window` is in tokens."""

    # Not "forbid": the environment may hold names such as REACT_APP_URL that mean other programs.
    model_config = ConfigDict(extra="ignore", frozen=True)

    provider: Provider | None = None
    window: int = Field(32_000, ge=512)


class Settings(BaseSettings):
    """Everything that can be set. Each field's environment variable is its name in capitals."""

    model_config = SettingsConfigDict(
        env_file=".env", extra="ignore", frozen=True, env_nested_delimiter="_", env_nested_max_split=1
    )

    llm_provider: Provider = "offline"
    embedding_model: str = "all-MiniLM-L6-v2"
    retrieval_k: int = Field(5, ge=1, le=100)
    retrieval_alpha: float = Field(0.5, ge=0.0, le=1.0)
    max_context_tokens: int = Field(128_000, ge=1_000)
    memory_tokens: int = Field(4_000, ge=100, description="tokens of memory put before a step")
    storage_dir: Path = Path("sessions")
    chunk_ratio: float = Field(0.9, gt=0.0, le=1.0)
    max_steps: int = Field(60, ge=1)
    merge_depth: int = Field(5, ge=0)
    summary_characters: int = Field(900, ge=100)

    classification: AgentSettings = AgentSettings()
    structure: AgentSettings = AgentSettings()
    analysis: AgentSettings = AgentSettings()
    integration: AgentSettings = AgentSettings()
    planning: AgentSettings = AgentSettings()
    react: AgentSettings = AgentSettings()

    def agent(self, name: str) -> AgentSettings:
        """The settings of one of the six agents."""
        found: AgentSettings = getattr(self, name)
        return found

    def provider(self, name: str) -> Provider:
        """Who makes an agent's judgements."""
        return self.agent(name).provider or self.llm_provider

    def public(self) -> dict[str, Any]:
        """The settings as they go into the log and the export: nothing secret, nothing of this machine."""
        public = self.model_dump(mode="json", exclude={"storage_dir"})
        if not _MODEL_NAME.fullmatch(self.embedding_model):  # it is the folder of a model
            public["embedding_model"] = re.split(r"[/\\]", self.embedding_model.rstrip("/\\"))[-1]
        return public


def load_settings(**given: Any) -> Settings:  # noqa: ANN401 - whatever a field accepts
    """Settings from the environment with `given` on top. `SettingsError` names the first wrong one."""
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        variable = "_".join(str(part) for part in first["loc"]).upper()
        allowed = first["msg"].removeprefix("Input should be ").partition(", unable to")[0]
        if first["type"] == "model_type":
            allowed = _NOTHING.format(variable)
        raise SettingsError(variable, str(first.get("input")), allowed) from error
    except pydantic_settings.SettingsError as error:  # an agent's bare name, which pydantic would read as JSON
        variable = str(error).split('"')[1].upper()
        raise SettingsError(variable, getattr(error.__cause__, "doc", ""), _NOTHING.format(variable)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(".env", "not UTF-8", "text in UTF-8") from error
