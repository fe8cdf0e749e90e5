"""The server itself: what it is, what may be done on it, and what its operator says."""

import hashlib
import re
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from privapub import clock
from privapub.actors import featured_tags
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes import instance as shapes
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.instance import (
    Contact,
    DomainBlock,
    Icon,
    Instance,
    Registrations,
    Rule,
    Terms,
    Text,
    V1Instance,
)
from privapub.composing import about
from privapub.composing.sign_up import APPROVAL, INVITATION, OPEN, wants_reason
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.served.nodeinfo import how_much
from privapub.media import attach, names
from privapub.moderation import rules as domain_rules
from privapub.moderation.domain_rules import BLOCK
from privapub.notifications import push, web_push
from privapub.personas import edit, read
from privapub.posts import pin, polls, publish, usage
from privapub.server import Server
from privapub.settings import Settings

COMPATIBLE = "4.7.0"  # the Mastodon whose documentation this follows
API_VERSION = 6
CHARACTERS_OF_A_LINK = 23
DAY = 86_400.0
WEEK, WEEKS = 7 * DAY, 12
MIB = 1 << 20
_EMAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")
_NAMES = {
    "ar": "العربية", "cs": "Čeština", "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά", "en": "English",
    "es": "Español", "eu": "Euskara", "fa": "فارسی", "fi": "Suomi", "fr": "Français", "he": "עברית", "hu": "Magyar",
    "it": "Italiano", "ja": "日本語", "ko": "한국어", "nl": "Nederlands", "no": "Norsk", "pl": "Polski",
    "pt": "Português", "ro": "Română", "ru": "Русский", "sv": "Svenska", "tr": "Türkçe", "uk": "Українська",
    "vi": "Tiếng Việt", "zh": "中文",
}  # fmt: skip


async def second(call: Call) -> Instance:
    """`GET /api/v2/instance`."""
    server, settings = call.server, call.server.settings
    house = await about.rules(settings.about_folder)
    async with server.database.read() as tx:
        active = await server.counts.of(tx, "active", _active, clock.now())
        contact = await _contact(tx, server)
        key = await push.key(tx)
    return Instance(
        domain=server.domain,
        title=settings.name,
        version=_version(),
        source_url=f"{server.base_url}/",
        description=settings.description,
        usage={"users": {"active_month": active}},
        thumbnail={"url": _picture(server), "blurhash": None, "description": None},
        icon=[Icon(_picture(server), "512x512")],
        languages=list(settings.languages),
        configuration={
            **configuration(settings),
            "urls": {
                "streaming": _streaming(server),
                "about": f"{server.base_url}/about",
                "privacy_policy": f"{server.base_url}/privacy-policy",
                "terms_of_service": f"{server.base_url}/terms-of-service",
                "status": None,
            },
            "vapid": {"public_key": "" if key is None else web_push.public_of(key)},
            "translation": {"enabled": False},
            "limited_federation": settings.federation != "open",
        },
        registrations=Registrations(
            settings.registrations in {OPEN, APPROVAL},
            settings.registrations == APPROVAL,
            wants_reason(server),
            f"{server.base_url}/auth/sign_up",
        ),
        contact=Contact(_email(settings), contact),
        rules=shapes.rules(house),
        api_versions={"mastodon": API_VERSION},
    )


async def first(call: Call) -> V1Instance:
    """`GET /api/v1/instance`. Personas are counted, never accounts; with how many servers there is contact is not."""
    server, settings = call.server, call.server.settings
    house = await about.rules(settings.about_folder)
    async with server.database.read() as tx:
        personas, posts = await how_much(server, tx)
        stats = {"user_count": personas, "status_count": posts, "domain_count": 0}
        contact = await _contact(tx, server)
    return V1Instance(
        uri=server.domain,
        title=settings.name,
        short_description=settings.description,
        description=settings.description,
        email=_email(settings),
        version=_version(),
        urls={"streaming_api": _streaming(server)},
        stats=stats,
        thumbnail=_picture(server),
        languages=list(settings.languages),
        registrations=settings.registrations in {OPEN, APPROVAL},
        approval_required=settings.registrations == APPROVAL,
        invites_enabled=settings.registrations == INVITATION,
        configuration=configuration(settings),
        contact_account=contact,
        rules=shapes.rules(house),
    )


def configuration(settings: Settings) -> dict[str, Any]:
    """What a program may send, as it is judged (pure)."""
    bytes_, pixels = settings.media_bytes * MIB, settings.media_pixels * 1_000_000
    return {
        "accounts": {
            "max_featured_tags": featured_tags.MOST,
            "max_pinned_statuses": pin.MOST,
            "max_display_name_length": edit.NAME_LENGTH,
            "max_note_length": edit.BIO_LENGTH,
            "max_avatar_description_length": attach.ALT_LENGTH,
            "max_header_description_length": attach.ALT_LENGTH,
            "max_profile_fields": edit.MOST_FIELDS,
            "profile_field_name_limit": edit.FIELD_LENGTH,
            "profile_field_value_limit": edit.FIELD_LENGTH,
        },
        "statuses": {
            "max_characters": publish.SOURCE_LENGTH,
            "max_media_attachments": attach.MOST,
            "characters_reserved_per_url": CHARACTERS_OF_A_LINK,
            "supported_mime_types": ["text/plain", "text/markdown"],
        },
        "media_attachments": {
            "supported_mime_types": list(names.CONTENT_TYPES.values()),
            "description_limit": attach.ALT_LENGTH,
            "image_size_limit": bytes_,
            "image_matrix_limit": pixels,
            "video_size_limit": bytes_,
            "video_frame_rate_limit": 120,
            "video_matrix_limit": pixels,
        },
        "polls": {
            "max_options": polls.MOST_OPTIONS,
            "max_characters_per_option": polls.OPTION_LENGTH,
            "min_expiration": int(polls.SHORTEST),
            "max_expiration": int(polls.LONGEST),
        },
    }


async def rules(call: Call) -> list[Rule]:
    """`GET /api/v1/instance/rules`."""
    return shapes.rules(await about.rules(call.server.settings.about_folder))


async def peers(_call: Call) -> list[str]:
    """`GET /api/v1/instance/peers`: with whom people here are in contact is told to nobody."""
    return []


async def activity(call: Call) -> list[dict[str, str]]:
    """`GET /api/v1/instance/activity`: posts for everyone, by week. Who signed in or up when is not kept."""
    now = clock.now()
    # 1970 began on a Thursday; weeks begin on Mondays.
    this_week = (now + 3 * DAY) // WEEK * WEEK - 3 * DAY
    begins = [this_week - number * WEEK for number in range(WEEKS)]
    async with call.server.database.read() as tx:
        written = await usage.in_times(tx, begins, WEEK)
    return [
        {"week": str(int(begin)), "statuses": str(number), "logins": "0", "registrations": "0"}
        for begin, number in zip(begins, written, strict=True)
    ]


async def domain_blocks(call: Call) -> list[DomainBlock]:
    """`GET /api/v1/instance/domain_blocks`: the hosts that are blocked or limited, and what is said of it publicly."""
    async with call.server.database.read() as tx:
        found = await domain_rules.everything(tx)
    return [
        DomainBlock(
            _hidden(rule.domain) if rule.obfuscate else rule.domain,
            hashlib.sha256(rule.domain.encode()).hexdigest(),
            "suspend" if rule.severity == BLOCK else "silence",
            rule.public_comment,
        )
        for rule in found
        if rule.severity in {BLOCK, "limit"}
    ]


async def extended_description(call: Call) -> Text:
    """`GET /api/v1/instance/extended_description`."""
    return await _text(call, about.ABOUT)


async def privacy_policy(call: Call) -> Text:
    """`GET /api/v1/instance/privacy_policy`."""
    return await _text(call, about.PRIVACY)


async def terms_of_service(call: Call) -> Terms:
    """`GET /api/v1/instance/terms_of_service`; NotFound where there are none."""
    found = await about.told(call.server.settings.about_folder, about.TERMS)
    if found is None:
        raise NotFound
    return Terms(clock.iso_day(found.changed_at), True, found.html)


async def languages(call: Call) -> list[dict[str, str]]:
    """`GET /api/v1/instance/languages`: those that people here speak, by their own names."""
    found = call.server.settings.languages
    return [{"code": code, "name": _NAMES.get(code.partition("-")[0], code)} for code in found]


async def translation_languages(_call: Call) -> dict[str, list[str]]:
    """`GET /api/v1/instance/translation_languages`: nothing is translated, which would tell who reads what."""
    return {}


async def health(call: Call) -> dict[str, str]:
    """`GET /health`: this process answers, and so does the database."""
    async with call.server.database.read() as tx:
        await domain_rules.policy(tx)
    return {"status": "OK"}


async def _active(tx: Transaction) -> int:
    return await usage.active(tx, clock.now() - 30 * DAY)


async def _text(call: Call, name: str) -> Text:
    found = await about.told(call.server.settings.about_folder, name)
    return shapes.text(found, clock.iso(0.0 if found is None else found.changed_at))


async def _contact(tx: Transaction, server: Server) -> Account | None:
    handle = server.settings.contact_persona
    found = await read.by_handle(tx, handle) if handle else None
    return None if found is None else await show_accounts.one(tx, server, found.id)


def _email(settings: Settings) -> str:
    return settings.contact if _EMAIL.fullmatch(settings.contact) else ""


def _version() -> str:
    return f"{COMPATIBLE} (compatible; PrivaPub {version('privapub')})"


def _picture(server: Server) -> str:
    return f"{server.base_url}/static/privapub.svg"


def _streaming(server: Server) -> str:
    parts = urlsplit(server.base_url)
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}"


def _hidden(domain: str) -> str:
    """A name of which every letter but the first ones and the last ones of its whole is a star (pure)."""
    shown = max(1, len(domain) // 4)
    middle = "".join("." if letter == "." else "*" for letter in domain[shown:-shown])
    return f"{domain[:shown]}{middle}{domain[-shown:]}"


_ANYONE: dict[str, Any] = {
    "/api/v2/instance": second,
    "/api/v1/instance": first,
    "/api/v1/instance/rules": rules,
    "/api/v1/instance/peers": peers,
    "/api/v1/instance/activity": activity,
    "/api/v1/instance/domain_blocks": domain_blocks,
    "/api/v1/instance/extended_description": extended_description,
    "/api/v1/instance/privacy_policy": privacy_policy,
    "/api/v1/instance/terms_of_service": terms_of_service,
    "/api/v1/instance/languages": languages,
    "/api/v1/instance/translation_languages": translation_languages,
    "/health": health,
}
ENDPOINTS = tuple(Endpoint("GET", path, handler, who="anyone", while_waiting=True) for path, handler in _ANYONE.items())
