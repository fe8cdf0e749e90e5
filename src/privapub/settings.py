"""Everything an operator may set, in one frozen dataclass whose fields say what they mean.

A field `data` is set by the variable `PRIVAPUB_DATA` or by the key `data` of the TOML file that `PRIVAPUB_CONFIG`
names; the variable wins, and an empty one counts as absent. `load` reads both once at the start of a command; what it
returns is passed on as plain values. No domain verb reads settings.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from privapub import setting_texts as texts
from privapub.errors import OperatorError
from privapub.setting_texts import Listen, Network

PREFIX = "PRIVAPUB_"
CONFIG = "PRIVAPUB_CONFIG"
# Known names that are no settings: the file, and what the tests are told.
NO_SETTINGS = frozenset({CONFIG, "PRIVAPUB_CASES"})
NO_SETTINGS_PREFIX = "PRIVAPUB_TEST_"
DEFAULT, ENVIRONMENT = "default", "environment"

_MASKED = frozenset({"database_url", "smtp_url", "storage_url"})


def _setting(default: Any, doc: str, allowed: str, parse: Callable[[str], Any], *, initial: str = "") -> Any:
    """A field with its meaning, what it may be, and how its text is read (ValueError where it cannot be)."""
    metadata = {"doc": doc, "allowed": allowed, "parse": parse, "initial": initial}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """The settings of one installation; built by `load`, or by hand in tests."""

    data: Path = _setting(  # noqa: RUF009 - it is a field, whose default is immutable
        Path("data"),
        "The folder that holds everything the server keeps: the SQLite database, the media and the cache.",
        "a path without a question mark",
        texts.folder,
    )
    database_url: str = _setting(
        "",
        "Which database to use. Absent: the file privapub.sqlite3 in the data folder.",
        "sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME",
        texts.database_url,
        initial="SQLite in the data folder",
    )
    storage_url: str = _setting(
        "",
        "Where pictures, films and sounds are kept. The keys of a store are access_key_id and secret_access_key in the "
        "URL, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment. Absent: the folder media in the data "
        "folder.",
        "file:///FOLDER or s3://BUCKET/PREFIX?endpoint=URL&region=NAME",
        texts.storage_url,
        initial="a folder in the data folder",
    )
    pg_tools: str = _setting(
        "",
        "The folder of PostgreSQL's client programs (pg_dump, pg_restore, psql), of the server's version or newer, by "
        "which backups are made and restored.",
        "a path",
        texts.text(4096),
        initial="those on the PATH",
    )
    ffmpeg: str = _setting(
        "",
        "The program by which films and sounds are processed; ffprobe must be beside it. Where there is none, only "
        "pictures are taken.",
        "a path",
        texts.text(4096),
        initial="the one on the PATH",
    )
    media_bytes: int = _setting(
        200,
        "How large an uploaded file may be, in MiB.",
        "a whole number from 1 to 4096",
        texts.whole(1, 4096),
    )
    media_quota: int = _setting(
        5_000,
        "How much room the media of one persona may take, in MiB.",
        "a whole number from 1 to 1000000",
        texts.whole(1, 1_000_000),
    )
    media_pixels: int = _setting(
        100,
        "How many million pixels a picture, or one frame of a film, may have.",
        "a whole number from 1 to 1000",
        texts.whole(1, 1000),
    )
    media_side: int = _setting(
        16_384,
        "How long a side of a picture may be, in pixels.",
        "a whole number from 100 to 65535",
        texts.whole(100, 65535),
    )
    media_frames: int = _setting(
        1_000,
        "How many frames a picture that moves may have.",
        "a whole number from 1 to 100000",
        texts.whole(1, 100000),
    )
    media_duration: int = _setting(
        1_800,
        "How long a film or a sound may last, in seconds.",
        "a whole number from 1 to 86400",
        texts.whole(1, 86400),
    )
    media_longest: int = _setting(
        3_840,
        "The longest side of the picture that is kept of a larger one, in pixels.",
        "a whole number from 400 to 16384",
        texts.whole(400, 16384),
    )
    media_memory: int = _setting(
        1_024,
        "How much memory the process may take that makes media, in MiB of addresses.",
        "a whole number from 256 to 65536",
        texts.whole(256, 65536),
    )
    media_seconds: int = _setting(
        60,
        "How long that process may compute for a picture, in seconds.",
        "a whole number from 1 to 3600",
        texts.whole(1, 3600),
    )
    media_film_seconds: int = _setting(
        3_600,
        "How long it may compute for a film or a sound, in seconds.",
        "a whole number from 10 to 86400",
        texts.whole(10, 86400),
    )
    cache: str = _setting(
        "",
        "The folder for files elsewhere that are kept for a while; all processes need the same one. Absent: the folder "
        "cache in the data folder.",
        "a path",
        texts.text(4096),
        initial="a folder in the data folder",
    )
    cache_size: int = _setting(
        2_048,
        "How much room that folder may take, in MiB; what was not read for the longest time goes first.",
        "a whole number from 16 to 10000000",
        texts.whole(16, 10_000_000),
    )
    prefetch: bool = _setting(
        True,
        "Whether files of posts from elsewhere are fetched before anybody looks, so that their host cannot tell who "
        "does. Without it they are fetched when somebody looks first.",
        "on or off",
        texts.switch,
    )
    prefetch_after: int = _setting(
        5,
        "How long such a fetch waits at least, in seconds.",
        "a whole number from 0 to 86400",
        texts.whole(0, 86_400),
    )
    prefetch_until: int = _setting(
        120,
        "How long it waits at most, in seconds: when exactly is left to chance.",
        "a whole number from 0 to 86400",
        texts.whole(0, 86_400),
    )
    remote_picture_bytes: int = _setting(
        16,
        "How large a picture elsewhere may be to be shown here, in MiB.",
        "a whole number from 1 to 1024",
        texts.whole(1, 1024),
    )
    remote_film_bytes: int = _setting(
        100,
        "How large a film or a sound elsewhere may be to be shown here, in MiB.",
        "a whole number from 1 to 4096",
        texts.whole(1, 4096),
    )
    listen: Listen = _setting(  # noqa: RUF009 - the same
        Listen("localhost", 8000),
        "Where the web server listens.",
        "host:port with a port from 1 to 65535, an IPv6 address in brackets",
        texts.listen,
    )
    base_url: str = _setting(
        "",
        "The address under which the world reaches the server. It is part of every id that is handed out: "
        "do not change it once somebody follows you.",
        "http:// or https:// and a host (in its ASCII form), with a port if need be and nothing after it",
        texts.base_url,
        initial="http:// and the listening address",
    )
    media_base_url: str = _setting(
        "",
        "The address under which pictures, films and sounds are given out, if it is a host of their own: it leads to "
        "this server too, which answers nothing else there. See docs/how-to/media-host.md.",
        "http:// or https:// and a host (in its ASCII form), with a port if need be and nothing after it",
        texts.base_url,
        initial="the base URL",
    )
    handle_domain: str = _setting(
        "",
        "The part after the @ of every handle, if it is not the host of the base URL. That host must then "
        "redirect /.well-known/webfinger to the base URL. Do not change it once somebody follows you.",
        "a host name in its ASCII form, with a port if need be",
        texts.domain,
        initial="the host of the base URL",
    )
    allow_addresses: tuple[Network, ...] = _setting(
        (),
        "Networks that outbound requests may reach although they are private, and by plain http too. "
        "For development: whoever can make the server fetch something can reach them.",
        "networks such as 127.0.0.0/8 or ::1/128, separated by commas",
        texts.networks,
        initial="none",
    )
    federation: str = _setting(
        "open",
        "With which servers there is contact: with all that no rule blocks, or, with allow-list, only with those that "
        "a rule allows (`privapub domain allow`). It is taken over when a server process starts.",
        "open or allow-list",
        texts.one_of("open", "allow-list"),
    )
    secure_mode: bool = _setting(
        False,
        "Whether other servers get documents only for requests that they sign, also of posts and profiles that are for "
        "everyone. Pages for people stay open.",
        "on or off",
        texts.switch,
    )
    name: str = _setting("PrivaPub", "What the server is called.", "up to 100 characters", texts.text(100))
    description: str = _setting(
        "",
        "A sentence or two about the server, shown on its front page and in nodeinfo.",
        "up to 1000 characters on one line",
        texts.text(1000),
        initial="nothing",
    )
    contact: str = _setting(
        "",
        "How to reach the people who run the server, shown on its front page.",
        "up to 200 characters, such as an e-mail address",
        texts.text(200),
        initial="nothing",
    )
    registrations: str = _setting(
        "closed",
        "Who may make an account: everybody (open), who has an invitation (`privapub invitation create`), everybody "
        "whom you then let in (approval, `privapub account approve`), or nobody but you (closed).",
        "open, invitation, approval or closed",
        texts.one_of("open", "invitation", "approval", "closed"),
    )
    smtp_url: str = _setting(
        "",
        "The server by which letters go out: to confirm e-mail addresses and to set passwords anew. Absent: none goes "
        "out, and addresses are not confirmed.",
        "smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS, or smtps:// where the connection begins encrypted; without "
        "user and password where it asks for none",
        texts.smtp_url,
        initial="no letters",
    )
    about: str = _setting(
        "",
        "The folder with what the server says of itself: rules.txt (a rule a line, what is behind a | explains it), "
        "about.md, privacy.md and terms.md, each if it is there. Absent: the folder about in the data folder.",
        "a path",
        texts.text(4096),
        initial="a folder in the data folder",
    )
    contact_persona: str = _setting(
        "",
        "The handle of the persona that programs name as the server's contact.",
        "a handle",
        texts.text(30),
        initial="nobody",
    )
    languages: tuple[str, ...] = _setting(
        ("en",),
        "The languages that people here speak.",
        "codes such as en or pt-BR, separated by commas",
        texts.languages,
    )
    api_per_token: int = _setting(
        300,
        "How many requests a program may make in five minutes with one token.",
        "a whole number from 1 to 10000000",
        texts.whole(1, 10_000_000),
    )
    api_per_address: int = _setting(
        300,
        "How many requests programs without a token may make in five minutes from one address (of IPv6, from one "
        "network of 64 bits).",
        "a whole number from 1 to 10000000",
        texts.whole(1, 10_000_000),
    )
    sign_ups_per_address: int = _setting(
        10,
        "How many accounts may be made in an hour from one address.",
        "a whole number from 1 to 1000000",
        texts.whole(1, 1_000_000),
    )
    deliveries_at_once: int = _setting(
        8, "How many deliveries one process makes at a time.", "a whole number from 1 to 500", texts.whole(1, 500)
    )
    deliveries_per_host: int = _setting(
        2,
        "How many deliveries go to one host at a time, counted over all processes.",
        "a whole number from 1 to 50",
        texts.whole(1, 50),
    )
    deliveries_failing: int = _setting(
        2,
        "How many of these deliveries may go to hosts whose last answer was a failure.",
        "a whole number from 1 to 500",
        texts.whole(1, 500),
    )
    deliveries_aside: int = _setting(
        64,
        "How many deliveries that had no answer for a second may wait for it beside those; 0: none.",
        "a whole number from 0 to 5000",
        texts.whole(0, 5000),
    )
    inbox_at_once: int = _setting(
        8,
        "How many incoming activities one process handles at a time.",
        "a whole number from 1 to 500",
        texts.whole(1, 500),
    )
    threads_at_once: int = _setting(
        2,
        "How many threads one process reads from other servers at a time.",
        "a whole number from 1 to 50",
        texts.whole(1, 50),
    )
    max_body: int = _setting(
        1024 * 1024,
        "The largest body that an inbox takes, in bytes.",
        "a whole number from 1024 to 16777216",
        texts.whole(1024, 16 * 1024 * 1024),
    )
    proxies: tuple[Network, ...] = _setting(
        (ip_network("127.0.0.0/8"), ip_network("::1/128")),
        "The proxies in front of the server: what one of these addresses says in X-Forwarded-For is believed, and from "
        "no other. Limits are by the address that is found so.",
        "addresses or networks such as 10.0.0.2 or 192.0.2.0/24, separated by commas",
        texts.networks,
    )
    inbox_per_address: int = _setting(
        600,
        "How many requests a minute an inbox takes from one address (of IPv6, from one network of 64 bits) that turn "
        "out not to be signed by whom they claim to be of.",
        "a whole number from 1 to 1000000",
        texts.whole(1, 1_000_000),
    )
    inbox_claims_per_host: int = _setting(
        600,
        "How many such requests a minute may claim to be of one host, from all addresses together. Whoever has shown "
        "at an address that it speaks for the host is not counted with them.",
        "a whole number from 1 to 1000000",
        texts.whole(1, 1_000_000),
    )
    inbox_per_host: int = _setting(
        6000,
        "How many activities a minute an inbox takes from one host that did sign them.",
        "a whole number from 1 to 1000000",
        texts.whole(1, 1_000_000),
    )
    inbox_waiting_per_host: int = _setting(
        20_000,
        "How many activities of one host may wait to be handled before no more are taken from it for a while.",
        "a whole number from 1 to 10000000",
        texts.whole(1, 10_000_000),
    )
    inbox_requests: int = _setting(
        512,
        "How many requests to inboxes one process has under way at a time.",
        "a whole number from 1 to 100000",
        texts.whole(1, 100_000),
    )
    inbox_memory: int = _setting(
        24,
        "How much memory, in MiB, the large bodies of those requests may take together.",
        "a whole number from 4 to 4096",
        texts.whole(4, 4096),
    )
    signature_past: int = _setting(
        12 * 3600,
        "How old the time of a signature may be, in seconds (clocks of other servers are wrong by hours).",
        "a whole number from 30 to 604800",
        texts.whole(30, 7 * 86400),
    )
    signature_ahead: int = _setting(
        3600,
        "How far ahead the time of a signature may be, in seconds.",
        "a whole number from 0 to 86400",
        texts.whole(0, 86400),
    )
    fetch_timeout: int = _setting(
        10,
        "How long an outbound request may take in all, redirects included, in seconds.",
        "a whole number from 1 to 120",
        texts.whole(1, 120),
    )
    log_level: str = _setting(
        "info",
        "From which level on something is logged.",
        "debug, info, warning or error",
        texts.one_of("debug", "info", "warning", "error"),
    )
    log_format: str = _setting(
        "text",
        "How log lines are written: for people, or as one JSON object a line.",
        "text or json",
        texts.one_of("text", "json"),
    )

    def __post_init__(self) -> None:
        """What follows from other fields is filled in, so that no address here is ever empty."""
        base_url = self.base_url or f"http://{self.listen}"
        object.__setattr__(self, "base_url", base_url)
        object.__setattr__(self, "media_base_url", self.media_base_url or base_url)
        object.__setattr__(self, "handle_domain", self.handle_domain or urlsplit(base_url).netloc)

    @property
    def database(self) -> str:
        """The URL of the database that is used."""
        return self.database_url or f"sqlite:///{self.data / 'privapub.sqlite3'}"

    @property
    def storage(self) -> str:
        """The URL of the store of files that is used."""
        return self.storage_url or (self.data.absolute() / "media").as_uri()

    @property
    def cache_folder(self) -> Path:
        """The folder for files elsewhere."""
        return Path(self.cache) if self.cache else self.data / "cache"

    @property
    def about_folder(self) -> Path:
        """The folder with what the server says of itself."""
        return Path(self.about) if self.about else self.data / "about"

    @property
    def storage_folder(self) -> Path | None:
        """The folder of the store of files; None for one that is elsewhere."""
        parts = urlsplit(self.storage)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None


@dataclass(frozen=True)
class Row:
    """One setting as it is shown: nothing secret is in its value."""

    field: str
    variable: str
    value: str
    source: str
    meaning: str


@dataclass(frozen=True)
class Loaded:
    """What was read, and for each field where it came from."""

    settings: Settings
    rows: tuple[Row, ...]


def variable(name: str) -> str:
    """The environment variable of a field."""
    return PREFIX + name.upper()


def load(environ: Mapping[str, str]) -> Loaded:
    """Read the settings from the environment and from the file it names.

    Raises OperatorError, in one sentence, for a name that is unknown, a value that is not allowed, or a file that
    cannot be read.
    """
    known = {item.name: item for item in fields(Settings)}
    _refuse_unknown_variables(environ, known)
    path = environ.get(CONFIG, "")
    from_file = _read_file(Path(path), known) if path else {}
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, item in known.items():
        if text := environ.get(variable(name), "").strip():
            values[name] = _parse(item, text, variable(name))
            sources[name] = ENVIRONMENT
        elif text := from_file.get(name, "").strip():
            values[name] = _parse(item, text, f"{name} in {path}")
            sources[name] = path
    settings = Settings(**values)
    rows = tuple(
        Row(
            name,
            variable(name),
            shown(name, getattr(settings, name)) or item.metadata["initial"],
            sources.get(name, DEFAULT),
            item.metadata["doc"],
        )
        for name, item in known.items()
    )
    return Loaded(settings, rows)


def shown(name: str, value: Any) -> str:
    """A field's value as text that anyone may see: passwords are masked."""
    if name in _MASKED:
        return masked(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return str(value)


def masked(url: str) -> str:
    """A URL without its password or key, wherever in it that stands."""
    url = re.sub(r"(?<=://)([^:/@?]*):.*@", r"\1:***@", url)
    return re.sub(r"(?i)([?&][^=&]*(?:password|key|key_id)=)[^&]*", r"\1***", url)


def _refuse_unknown_variables(environ: Mapping[str, str], known: Mapping[str, Field[Any]]) -> None:
    names = {variable(name) for name in known} | NO_SETTINGS
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in names and not name.startswith(NO_SETTINGS_PREFIX):
            raise OperatorError(f"{name} is no setting.", _proposal(name, names))


def _proposal(name: str, names: set[str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.5)
    return f"Did you mean {near[0]}?" if near else "`privapub settings` shows all there are."


def _read_file(path: Path, known: Mapping[str, Field[Any]]) -> dict[str, str]:
    """The texts of the fields that the TOML file sets."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OperatorError(
            f"The settings file {path} cannot be read: {why}.", f"Look at what {CONFIG} says."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise OperatorError(f"The settings file {path} is not TOML: {error}.", "Each line is: key = value.") from None
    for name in document:
        if name not in known:
            raise OperatorError(f"{name} in {path} is no setting.", _proposal(name, set(known)))
    return {name: _as_text(known[name], value, f"{name} in {path}") for name, value in document.items()}


def _as_text(item: Field[Any], value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) and isinstance(item.default, bool):
        return shown(item.name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    raise OperatorError(f"{where} is {value!r}: it must be {item.metadata['allowed']}.")


def _parse(item: Field[Any], text: str, where: str) -> Any:
    try:
        return item.metadata["parse"](text)
    except ValueError:
        said = masked(text) if item.name in _MASKED else text
        raise OperatorError(f"{where} is {said!r}: it must be {item.metadata['allowed']}.") from None
