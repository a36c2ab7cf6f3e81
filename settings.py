"""What a server can be told at its start. `app.main` reads it from flags and DRYLINE_* variables."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

DEFAULT_API_KEY = "dryline-local-key"
LIVE = ("export_mode", "export_delay_ms", "strict", "calls_per_minute")


class BadSetting(ValueError):
    """A setting that cannot work. The message is one line for the person who set it."""


@dataclass
class Settings:
    """One server's settings. Those in LIVE may change while it runs (`/_dryline/settings`)."""

    data_dir: Path = Path("dryline-data")
    host: str = "127.0.0.1"
    port: int = 4010
    ephemeral: bool = False
    scenario: str = "demo"
    api_keys: tuple[str, ...] = (DEFAULT_API_KEY,)
    any_key: bool = False
    seed: int | None = None
    admin_token: str | None = None
    public_url: str | None = None
    threads: int = 4
    max_body_mb: int = 10
    strict: bool = False
    cors_origins: tuple[str, ...] = ()
    webhook_hosts: tuple[str, ...] = ()  # that webhooks and flows may reach beside loopback
    log_format: str = "text"
    export_mode: str = "auto"  # or "manual": exports move by `/_dryline/exports/{id}/transition` alone
    export_delay_ms: int = 0  # API time that an export waits before it is written
    calls_per_minute: float = 0  # that the simulator places by itself, in API time; 0 is none
    model_url: str | None = None  # of a server of OpenAI's chat completions, which judges what flows ask
    model: str | None = None
    model_key: str | None = None

    def __post_init__(self) -> None:
        self.data_dir = Path(self.data_dir)
        if not 0 <= self.port <= 65535:
            raise BadSetting(f"--port must be 0 to 65535, not {self.port}.")
        if self.threads < 1:
            raise BadSetting(f"--threads must be at least 1, not {self.threads}.")
        if self.max_body_mb < 1:
            raise BadSetting(f"--max-body-mb must be at least 1, not {self.max_body_mb}.")
        if not self.api_keys or not all(key.strip() for key in self.api_keys):
            raise BadSetting("--api-key must not be empty.")
        if self.admin_token is not None and not self.admin_token.strip():
            raise BadSetting("--admin-token must not be empty.")
        if self.log_format not in ("text", "json"):
            raise BadSetting(f"--log-format must be text or json, not {self.log_format!r}.")
        if self.public_url is not None:
            if not self.public_url.startswith(("http://", "https://")):
                raise BadSetting(f"--public-url must start with http:// or https://, not {self.public_url!r}.")
            self.public_url = self.public_url.rstrip("/")
        if self.model_url is not None:
            if not self.model_url.startswith(("http://", "https://")):
                raise BadSetting(f"--model-url must start with http:// or https://, not {self.model_url!r}.")
            if not self.model:
                raise BadSetting("--model-url needs --model, the name of a model of that server.")
        elif self.model or self.model_key:
            raise BadSetting("--model and --model-key need --model-url, the server that has the model.")

    @property
    def loopback(self) -> bool:
        """Whether the server listens on this machine alone."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False
