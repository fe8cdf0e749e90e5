"""What a request claims of its signature, before any key is at hand; common to both schemes."""

import re
from dataclasses import dataclass
from typing import Literal

from privapub.federation.signatures.request import BadSignature

Scheme = Literal["rfc9421", "cavage"]

LONGEST_SIGNATURE_FIELD = 8192
LONGEST_KEY_ID = 2048
MOST_COVERED = 32
_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)


@dataclass(frozen=True)
class Presented:
    """The signature that a request presents.

    `covered` names what was signed, in the sender's order: `(request-target)`, `host`, `date` in draft-cavage,
    `@method`, `@target-uri`, `content-digest` in RFC 9421 (parameters of a component follow it as they are written:
    `@query-param;name="Pet"`). `created` and `expires` are seconds since 1970, and None unless the signature covers
    them. `label` is RFC 9421's; `parameters` is the text of what is signed beside the request: the canonical
    `@signature-params`, or in draft-cavage `created=…` and `expires=…` as they were written, joined by a comma.
    """

    scheme: Scheme
    key_id: str
    algorithm: str | None
    covered: tuple[str, ...]
    created: float | None
    expires: float | None
    signature: bytes
    label: str = ""
    parameters: str = ""


def checked_key_id(text: object) -> str:
    """The key id where it is one that may be looked for; else BadSignature."""
    if type(text) is not str or not text:
        raise BadSignature("malformed", "The signature of this request does not name its key.")
    if len(text) > LONGEST_KEY_ID or not _PRINTABLE.fullmatch(text):
        raise BadSignature("malformed", "The key that the signature of this request names cannot be understood.")
    return text


def checked_covered(names: tuple[str, ...]) -> tuple[str, ...]:
    """What is covered, each once and not too many; else BadSignature."""
    if len(names) > MOST_COVERED or len(set(names)) != len(names):
        raise BadSignature("malformed", "The list of what the signature of this request covers cannot be used.")
    return names


def malformed(of: str = "signature") -> BadSignature:
    """The refusal of something that cannot be parsed."""
    return BadSignature("malformed", f"The {of} of this request cannot be understood.")


def not_covered(what: str) -> BadSignature:
    """The refusal of a signature that leaves out what it must bind."""
    return BadSignature("not-covered", f"The signature of this request does not cover its {what}.")
