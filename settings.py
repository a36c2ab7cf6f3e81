"""The settings of a server: each with its type, default and help."""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_origin
from urllib.parse import urlsplit

DEFAULT_API_KEY = "dryline-local-key"
MAX_THREADS = 256
# The variable with the id of a process: `dryline serve` ends with it. The helpers for tests set it.
END_WITH = "DRYLINE_END_WITH"

# An origin as browsers write it. https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?P<host>[a-z0-9._-]+|\[[0-9a-f:]+\])(?::(?P<port>[1-9][0-9]{0,4}))?")
_SCHEMES_WITHOUT_PAGES = ("ftp:", "ws:", "wss:")
_USUAL_PORT = re.compile(r"http://.*:80|https://.*:443")
_HOST_NAME = re.compile(r"[\w.-]+")
# A node's name. It must fit into an id (world/ids.py), and `_` ends it in a key.
_NODE = re.compile("[a-z0-9-]{1,9}")
# The first segments of this server's own paths. Behind a proxy, a node of such a name would hide them.
_OWN_PATHS = ("_dryline", "api", "console", "docs", "downloads", "inbox", "openapi.json", "recordings", "uploads", "v1")
# The types of settings in words, and the types that may stand for them.
_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    Path: "a path",
    tuple: "a list of texts",
}
_ALSO: dict[type, tuple[type, ...]] = {float: (int,), str: (Path,), Path: (str,), tuple: (list,)}
_SPEECH_PLACEHOLDERS = ("text", "speed", "role", "language", "out")


class BadSetting(ValueError):
    """A setting that cannot work. The message is one line for the person who starts the server."""


def _setting(default: Any, help: str | None = None, *, flag: str | None = None) -> Any:
    """Declare a setting. With a `help` it has a flag and a variable.

    `flag` is its flag where that is not the field's name.
    """
    return field(default=default, metadata={"help": help, "flag": flag})


@dataclass(frozen=True)
class Settings:
    """The settings that a server is started with. docs/settings.md describes them.

    Each is declared here once. `commands/serve.py` makes its flags and DRYLINE_… variables from the declarations
    (`flag_of`), and the helpers for tests take the names as keywords. A tuple is a repeatable flag.
    """

    host: str = _setting("127.0.0.1", "Address to listen on.")
    port: int = _setting(4010, "Port to listen on; 0 chooses a free port and prints it.")
    data_dir: Path = _setting(Path("dryline-data"), "Directory of the state.")  # noqa: RUF009  # it returns a field
    ephemeral: bool = _setting(False, "Keep the state in a temporary directory and remove it at the end.")
    scenario: str = _setting(
        "demo", "Content of a new data directory: demo, clinic, campaign, trouble, empty, or a file."
    )
    lenient: bool = _setting(False, "Ignore what a scenario's file has wrong: unknown members, links to no row.")
    # If empty, only the keys of the world are valid.
    api_keys: tuple[str, ...] = _setting((DEFAULT_API_KEY,), "A key of the first team", flag="--api-key")
    any_key: bool = _setting(False, "Accept every other key as a key of the first team.")
    seed: int | None = _setting(None, "Make ids and simulated content repeat from run to run.")
    admin_token: str | None = _setting(None, "Token that /_dryline and the console require (header x-dryline-token).")
    public_url: str | None = _setting(None, "Start of all links, for a server behind a proxy.")
    threads: int = _setting(128, "Threads for requests; those that wait have one each.")
    max_body_mb: int = _setting(10, "Largest request body, in MB.")
    strict: bool = _setting(False, "Refuse unknown members and query parameters, and require nullable members.")
    cors_origins: tuple[str, ...] = _setting((), "Origin of a web page that may call the API", flag="--cors-origin")
    allowed_hosts: tuple[str, ...] = _setting((), "A further host name for a server on loopback", flag="--allowed-host")
    webhook_hosts: tuple[str, ...] = _setting((), "Host besides loopback that webhooks and flows may call")
    speech: str = _setting("auto", 'Voices of recordings: auto, tones, or "command: PROGRAM ARGUMENT…".')
    recordings_mb: int = _setting(200, "Disk space for recordings, in MB.")
    model_url: str | None = _setting(None, "Server with OpenAI's chat completions for flows, such as http://…/v1.")
    model: str | None = _setting(None, "Name of the model.")
    model_key: str | None = _setting(None, "Key for that server.")
    node: str | None = _setting(None, "Name of this server if there are several; its keys and ids contain it.")
    label: str | None = _setting(None, "Title of this server in the console.")
    log_format: str = _setting("text", "Format of the log: text or json.")
    quiet: bool = _setting(False, "Print problems only: no start message, no line per request.")
    # Without a flag: they change while the server runs (`RuntimeSettings`).
    export_mode: str = _setting("auto")  # or "manual": only `/_dryline/exports/{id}/transition` changes exports
    export_delay_ms: int = _setting(0)  # API time before an export is written
    export_outcome: str = _setting("COMPLETED")  # of an export in the mode auto, or "FAILED"
    export_error: str = _setting("The export failed.")  # the errorMessage of exports that fail by this setting
    calls_per_minute: float = _setting(0)  # live calls per minute of API time

    def __post_init__(self) -> None:
        self._require_types()
        for flag, value, is_good, rule in self._rules():
            if not is_good:
                shown = _without_credentials(value) if isinstance(value, str) else value
                raise BadSetting(f"{flag} must {rule}, not {shown!r}.")
        secrets = [("--admin-token", self.admin_token), ("--model-key", self.model_key)]
        for flag, key in [*(("--api-key", key) for key in self.api_keys), *secrets]:
            if key is not None and (problem := header_problem(key)):
                raise BadSetting(f"{flag} {problem}")
        if self.public_path.partition("/")[2].partition("/")[0] in _OWN_PATHS:
            raise BadSetting(f"--public-url: the path {self.public_path} is one of this server's own.")
        if (command := speech_command(self.speech)) and shutil.which(command[0]) is None:
            raise BadSetting(f"--speech: the program {command[0]} was not found.")
        if self.model_url is not None and not self.model:
            raise BadSetting("--model-url needs --model, the name of a model on that server.")
        if self.model_url is None and (self.model or self.model_key):
            raise BadSetting("--model and --model-key need --model-url, the URL of the model's server.")
        self._normalize()

    def _require_types(self) -> None:
        """Raise BadSetting for a value that has another type than its setting. The value may be a secret."""
        for setting in fields(self):
            value = getattr(self, setting.name)
            kind, is_optional = _kind_of(setting.type)
            if value is None and is_optional:
                continue
            if not isinstance(value, (kind, *_ALSO.get(kind, ()))):
                flag = flag_of(setting) or setting.name
                raise BadSetting(f"{flag} must be {_KINDS[kind]}, not of the type {type(value).__name__}.")

    def _rules(self) -> Iterator[tuple[str, Any, bool, str]]:
        """Yield flags with their values, whether these are good, and what they must do."""
        yield "--port", self.port, 0 <= self.port <= 65535, "be 0 to 65535"
        yield "--threads", self.threads, 1 <= self.threads <= MAX_THREADS, f"be 1 to {MAX_THREADS}"
        yield "--max-body-mb", self.max_body_mb, self.max_body_mb >= 1, "be at least 1"
        yield "--recordings-mb", self.recordings_mb, self.recordings_mb >= 1, "be at least 1"
        yield "export_mode", self.export_mode, self.export_mode in ("auto", "manual"), "be auto or manual"
        is_outcome = self.export_outcome in ("COMPLETED", "FAILED")
        yield "export_outcome", self.export_outcome, is_outcome, "be COMPLETED or FAILED"
        yield "--log-format", self.log_format, self.log_format in ("text", "json"), "be text or json"
        is_voice = self.speech in ("auto", "tones") or speech_command(self.speech) is not None
        yield "--speech", self.speech, is_voice, 'be auto, tones or "command: …"'
        for host in self.allowed_hosts:
            is_name = bool(host.strip()) and not {"/", " ", ","} & {*host}
            yield "--allowed-host", host, is_name, "be a host's name, such as dryline.test"
        like = (
            "be like http://localhost:5173, in lower case, without a path, a slash at its end or the usual port (80 or"
            " 443), or * alone for every origin"
        )
        for origin in self.cors_origins:
            yield "--cors-origin", origin, origin in ("*", "null") or _is_sent(origin), like
        for host in self.webhook_hosts:
            is_host = bool(_HOST_NAME.fullmatch(host) or _address(host))
            yield "--webhook-hosts", host, is_host, "be a host's name or address alone"
        letters = f"be 1 to 9 lower-case letters, digits and dashes, and none of {', '.join(_OWN_PATHS)}"
        is_free = self.node is None or (bool(_NODE.fullmatch(self.node)) and self.node not in _OWN_PATHS)
        yield "--node", self.node, is_free, letters
        for flag, url in (("--public-url", self.public_url), ("--model-url", self.model_url)):
            yield flag, url, _is_url(url), "start with http:// or https://, and have no blanks"

    def _normalize(self) -> None:
        assign = object.__setattr__  # the class is frozen
        assign(self, "data_dir", Path(self.data_dir))
        assign(self, "allowed_hosts", tuple(host.lower() for host in self.allowed_hosts))
        assign(self, "public_url", self.public_url.rstrip("/") if self.public_url else None)
        if self.api_keys == (DEFAULT_API_KEY,):  # nodes would have the same key, and the proxy routes by keys
            assign(self, "api_keys", (self.default_key,))

    @property
    def key_prefix(self) -> str:
        """The prefix of the keys that this server creates."""
        return f"dl_{self.node}_" if self.node else "bb_"

    @property
    def default_key(self) -> str:
        """The API key if `--api-key` is not set."""
        return f"{self.key_prefix}local-key" if self.node else DEFAULT_API_KEY

    @property
    def public_path(self) -> str:
        """The path of `public_url`, such as `/a`, or an empty text."""
        return urlsplit(self.public_url or "").path

    @property
    def loopback(self) -> bool:
        """Whether the server listens on loopback only."""
        return is_loopback(self.host)


def _kind_of(annotation: Any) -> tuple[type, bool]:
    """Return the type of a setting without its arguments, and whether the setting may be None."""
    options = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    kind = next(option for option in options if option is not NoneType)
    return get_origin(kind) or kind, NoneType in options


def make_settings(values: Mapping[str, Any]) -> Settings:
    """Return settings by their names. Raises BadSetting for a name that there is not, with the nearest one."""
    names = [setting.name for setting in fields(Settings)]
    for name in values:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else ". docs/settings.md lists them."
            raise BadSetting(f"There is no setting {name}{hint}")
    return Settings(**values)


def flag_of(setting: Field[Any]) -> str | None:
    """Return the flag of a field of `Settings`, or None if it has none."""
    if setting.metadata["help"] is None:
        return None
    return setting.metadata["flag"] or "--" + setting.name.replace("_", "-")


@lru_cache(maxsize=16)  # each request asks, and most name the same host
def is_loopback(host: str) -> bool:
    """Return whether a host is certainly this machine: 127.x.x.x, ::1, `localhost`, and names that end in it.

    https://www.rfc-editor.org/rfc/rfc6761#section-6.3 gives these names to loopback, and a dot may end each.
    """
    name = host.lower().removesuffix(".")
    address = _address(name)
    if address is None:
        return name == "localhost" or (name.endswith(".localhost") and all(name.split(".")))
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _is_sent(origin: str) -> bool:
    """Return whether a browser can send an origin in this spelling."""
    match = _ORIGIN.fullmatch(origin)
    if match is None or _USUAL_PORT.fullmatch(origin) or origin.startswith(_SCHEMES_WITHOUT_PAGES):
        return False
    host, port = match["host"].removeprefix("[").removesuffix("]"), int(match["port"] or 0)
    # An address has one spelling. A host whose last label is a number is an address.
    is_address = match["host"].startswith("[") or host.rstrip(".").rpartition(".")[2].isdigit()
    return port < 1 << 16 and (not is_address or str(_address(host)) == host)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def strip_variables(environ: MutableMapping[str, str]) -> None:
    """Remove blanks and line ends around the values of all DRYLINE_… variables: what comes from a file often has one.

    A value of blanks alone stays, and is refused.
    """
    for name, value in list(environ.items()):
        if name.startswith("DRYLINE_") and value.strip():
            environ[name] = value.strip()


def _is_url(text: str | None) -> bool:
    """Return whether a setting is a URL of HTTP, or None."""
    return text is None or re.fullmatch(r"https?://\S+", text) is not None


def _without_credentials(url: str | None) -> str | None:
    """Return a URL for a message: the text before an @ may be a secret."""
    return url if url is None or "@" not in url else f"…@{url.rpartition('@')[2]}"


def header_problem(value: str) -> str:
    """Return why a text cannot be a key or a token, which are sent in a header; an empty text if it can.

    The text itself is a secret and not in it.
    """
    if not value.strip():
        return "must not be empty."
    if not value.isascii() or not value.isprintable() or value != value.strip():
        return "must be printable ASCII without blanks at its ends, as it is sent in a header."
    return ""


def speech_command(speech: str) -> list[str] | None:
    """Return the program of `--speech` and its arguments; None when it names none. Raises BadSetting.

    Placeholders in arguments: `{speed}` (1 is natural), `{role}` (agent or caller), `{language}` (a code), `{out}` (a
    file to write instead of standard output). An argument `{text}` is the text, which is also on standard input.
    """
    if not speech.startswith("command:"):
        return None
    try:
        words = shlex.split(speech.removeprefix("command:"))
    except ValueError as error:
        raise BadSetting(f"--speech is not a command: {error}.") from None
    if not words:
        raise BadSetting('--speech: a program must follow "command:".')
    unknown = [name for word in words for name in re.findall(r"{(\w+)}", word) if name not in _SPEECH_PLACEHOLDERS]
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in _SPEECH_PLACEHOLDERS)
        raise BadSetting(f"--speech: {{{unknown[0]}}} is not one of the placeholders {known}.")
    return words


@dataclass
class RuntimeSettings:
    """The settings that may change while the server runs (`/_dryline/settings`)."""

    export_mode: str
    export_delay_ms: int
    export_outcome: str
    export_error: str
    strict: bool
    calls_per_minute: float

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return their values at the start."""
        return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})
