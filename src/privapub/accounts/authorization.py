"""What a program asks a person for, by the address to which it sends them (RFC 6749, 7636 and 9207).

Anybody may register a program, so that what is wrong with a request is told on a page here and nowhere else: nobody is
sent to an address before they have chosen so (RFC 9700, section 4.11.2).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from privapub.accounts import scopes as all_scopes
from privapub.accounts import tokens
from privapub.accounts.tokens import Application
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput

FIELDS = ("response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method")
LONGEST_STATE = 4000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # SHA-256 as base64url (RFC 7636, section 4.2)
_PLACE = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


@dataclass(frozen=True)
class Asked:
    """A request that may be put before a person. `challenge` is "" where the program shows its secret instead."""

    program: Application
    redirect_uri: str
    scopes: tuple[str, ...]
    state: str
    challenge: str

    @property
    def out_of_band(self) -> bool:
        """Whether the person carries the code over by hand."""
        return self.redirect_uri == tokens.OUT_OF_BAND


def once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The parameters by name; InvalidInput where one of ours comes twice (RFC 6749, section 3.1). Pure."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found and name in FIELDS:
            raise InvalidInput(f"The program gives {name} twice.")
        found[name] = value
    return found


async def read(tx: Transaction, given: Mapping[str, str]) -> Asked:
    """What is asked for; InvalidInput says in a sentence what cannot be."""
    program = await tokens.application_of(tx, given.get("client_id", ""))
    if program is None:
        raise InvalidInput("The program is not registered here.", "Sign in from it anew.")
    redirect_uri = given.get("redirect_uri", "")
    if redirect_uri not in program.redirect_uris:
        raise InvalidInput("The address to which the program wants you sent is not one that it registered.")
    if given.get("response_type") != "code":
        raise InvalidInput("The program asks in a way that is not answered here: its response_type must be code.")
    wanted = all_scopes.read(given.get("scope", "") or all_scopes.DEFAULT)
    if not all_scopes.within(wanted, program.scopes):
        raise InvalidInput("The program asks for more than it registered for.")
    state = given.get("state", "")
    if len(state) > LONGEST_STATE:
        raise InvalidInput("The program gives a state that is too long.")
    return Asked(program, redirect_uri, wanted, state, _challenge(given))


def _challenge(given: Mapping[str, str]) -> str:
    challenge, method = given.get("code_challenge", ""), given.get("code_challenge_method", "")
    if not challenge and not method:
        return ""
    if method != "S256" or not _CHALLENGE.fullmatch(challenge):
        raise InvalidInput("The program must prove by S256 that it is itself (code_challenge_method).")
    return challenge


def issuer(base_url: str) -> str:
    """This server's name as one that authorises (RFC 8414, section 2; pure)."""
    return f"{base_url}/"


def answer(asked: Asked, base_url: str, **said: str) -> str:
    """The address to which the person goes on, with what is said to the program (pure)."""
    pairs = {**said, **({"state": asked.state} if asked.state else {}), "iss": issuer(base_url)}
    return f"{asked.redirect_uri}{'&' if '?' in asked.redirect_uri else '?'}{urlencode(pairs)}"


def place(uri: str) -> str:
    """Where an address leads, as a Content-Security-Policy names it: its origin, or its scheme alone (pure)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if not _SCHEME.fullmatch(parts.scheme):
        return ""
    if parts.scheme in {"http", "https"} and _PLACE.fullmatch(parts.netloc):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"
