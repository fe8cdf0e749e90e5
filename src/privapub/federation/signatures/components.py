"""The values that a signature covers, taken from the request: header fields (both schemes) and derived components."""

import re
import urllib.parse
from collections.abc import Callable

from privapub.federation.signatures.request import DEFAULT_PORTS, BadSignature, HttpRequest, Target, split_port

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9a-z]+", re.ASCII)
_UNFIT = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

_DERIVED: dict[str, Callable[[HttpRequest, Target], str]] = {
    "@method": lambda request, _: request.method,
    "@target-uri": lambda _, target: target.uri,
    "@authority": lambda _, target: target.authority,
    "@scheme": lambda _, target: target.scheme,
    "@request-target": lambda _, target: target.origin_form,
    "@path": lambda _, target: target.path,
    "@query": lambda _, target: target.query or "?",
}
DERIVED = frozenset(_DERIVED)


def is_field_name(name: str) -> bool:
    """Whether this is a header field's name in lower case."""
    return _NAME.fullmatch(name) is not None


def derived(request: HttpRequest, name: str) -> str:
    """The value of one of DERIVED (RFC 9421, section 2.2)."""
    value = _DERIVED[name](request, request.target)
    if not value.isascii() or _UNFIT.search(value):
        raise BadSignature("malformed", "The first line of this request cannot be understood.")
    return value


def query_parameter(request: HttpRequest, name: str) -> str:
    """The value of the one query parameter of this name, encoded as RFC 9421, section 2.2.8 says."""
    pairs = urllib.parse.parse_qsl(request.target.query[1:], keep_blank_values=True)
    found = [value for key, value in pairs if key == urllib.parse.unquote(name)]
    if len(found) != 1:
        raise BadSignature(
            "missing-component", "The signature of this request covers a query parameter that is not there."
        )
    return urllib.parse.quote(found[0], safe="*").replace("~", "%7E")


def field(request: HttpRequest, name: str) -> str:
    """The value of a header field that the signature covers; BadSignature where it is absent or could be two lines."""
    value = request.header(name)
    if value is None:
        raise BadSignature(
            "no-digest" if name in {"digest", "content-digest"} else "missing-component",
            f"The signature of this request covers the header {name}, which is not there.",
        )
    if _UNFIT.search(value):
        raise BadSignature("malformed", "A header that the signature of this request covers cannot be understood.")
    return value


def hosts(request: HttpRequest) -> tuple[str, ...]:
    """What a sender may have signed as `host`: the header as it is, or its name alone.

    The header must name the host that the request is for, else a request signed for another server would do here. Some
    servers (Takahē) sign the name without the port that they send; that counts where the port is not the scheme's own.
    """
    target = request.target
    value = field(request, "host")
    host, port = split_port(value.lower())
    default = DEFAULT_PORTS[target.scheme]
    if host != target.host or (port and port != (target.port or default)):
        raise BadSignature("wrong-host", "The host that this request names is not the one it was sent to.")
    return (value, value.rpartition(":")[0]) if port and port != default else (value,)
