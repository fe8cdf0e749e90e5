"""The server itself, as programs show it."""

from typing import Any

from msgspec import Struct, field

from privapub.client_api.shapes.account import Account
from privapub.composing.about import Rule as HouseRule
from privapub.composing.about import Told


class Rule(Struct):
    """Entity `Rule`."""

    id: str
    text: str
    hint: str
    translations: dict[str, Any] = {}


class Icon(Struct):
    """Entity `InstanceIcon`."""

    src: str
    size: str


class DomainBlock(Struct):
    """Entity `DomainBlock`; the digest is of the whole name, also where it is not spelled out."""

    domain: str
    digest: str
    severity: str
    comment: str


class Text(Struct):
    """Entities `ExtendedDescription` and `PrivacyPolicy`."""

    updated_at: str
    content: str


class Terms(Struct):
    """Entity `TermsOfService`."""

    effective_date: str
    effective: bool
    content: str
    succeeded_by: str | None = None


class Registrations(Struct):
    """Who may sign up."""

    enabled: bool
    approval_required: bool
    reason_required: bool
    url: str
    message: str | None = None
    min_age: int | None = None


class Contact(Struct):
    """Whom to ask."""

    email: str
    account: Account | None


class Instance(Struct, kw_only=True):
    """Entity `Instance`."""

    domain: str
    title: str
    version: str
    source_url: str
    description: str
    usage: dict[str, Any]
    thumbnail: dict[str, Any]
    icon: list[Icon]
    languages: list[str]
    configuration: dict[str, Any]
    registrations: Registrations
    contact: Contact
    rules: list[Rule]
    api_versions: dict[str, int]
    wrapstodon: str | None = None


class V1Instance(Struct, kw_only=True):
    """Entity `V1::Instance`."""

    uri: str
    title: str
    short_description: str
    description: str
    email: str
    version: str
    urls: dict[str, str]
    stats: dict[str, int]
    thumbnail: str | None
    languages: list[str]
    registrations: bool
    approval_required: bool
    invites_enabled: bool
    configuration: dict[str, Any]
    contact_account: Account | None
    rules: list[Rule] = field(default_factory=list)


def rules(found: list[HouseRule]) -> list[Rule]:
    """The rules of the house, numbered (pure)."""
    return [Rule(str(number), each.text, each.hint) for number, each in enumerate(found, 1)]


def text(found: Told | None, changed_at: str) -> Text:
    """A text, or an empty one (pure)."""
    return Text(changed_at, "" if found is None else found.html)
