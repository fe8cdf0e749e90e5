"""Where our things are found: every URL that is part of a document is made here (pure)."""

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from privapub.markup.hashtags import tag_address
from privapub.outbound.target import host_of

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Addresses:
    """The URLs of one installation. Neither base has a slash at its end; without one of their own media are at ours.

    A token is a random word of `identifiers.token`: no URL tells a handle, a count or a time, except the page of a
    persona, which is for people.
    """

    base_url: str
    media_base_url: str = ""

    def actor(self, token: str) -> str:
        """The id of an actor."""
        return f"{self.base_url}/actors/{token}"

    @property
    def application(self) -> str:
        """The id of the actor that signs our own fetches."""
        return self.actor("application")

    @property
    def shared_inbox(self) -> str:
        """The inbox for what is meant for many of us."""
        return f"{self.base_url}/inbox"

    def persona_page(self, handle: str) -> str:
        """The page of a persona, for people."""
        return f"{self.base_url}/@{handle}"

    def post(self, token: str) -> str:
        """The id of a post, and its page too (content negotiation)."""
        return f"{self.base_url}/posts/{token}"

    def activity(self, token: str) -> str:
        """The id of an activity."""
        return f"{self.base_url}/activities/{token}"

    def stamp(self, token: str) -> str:
        """The id of the word that somebody may quote a post of ours."""
        return f"{self.base_url}/stamps/{token}"

    def medium(self, name: str) -> str:
        """Where a stored picture, film or sound is given out."""
        return f"{self.media_base_url or self.base_url}/media/{name}"

    def tag(self, name: str) -> str:
        """The page of a hashtag."""
        return tag_address(f"{self.base_url}/tags", name)

    def is_ours(self, uri: str) -> bool:
        """Whether the URI is on our host and port: such an id is never accepted from outside.

        The host counts in any spelling, and `http` on the usual port as much as `https`: in doubt it is ours.
        """
        return (place := _place(uri)) is not None and place == _place(self.base_url)


def _place(uri: str) -> tuple[str, int | None] | None:
    try:
        parts: SplitResult = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in _DEFAULT_PORTS or not host:
        return None
    # As it would be asked: letters of other scripts may lead here, too.
    asked = host_of(f"https://[{host}]/" if ":" in host else f"https://{host}/")
    return asked or host.rstrip("."), None if port == _DEFAULT_PORTS[parts.scheme.lower()] else port


def inbox_of(actor_uri: str) -> str:
    """The inbox of one of our actors."""
    return f"{actor_uri}/inbox"


def outbox_of(actor_uri: str) -> str:
    """The outbox of one of our actors."""
    return f"{actor_uri}/outbox"


def followers_of(actor_uri: str) -> str:
    """The id of the collection of the followers of one of our actors."""
    return f"{actor_uri}/followers"


def followers_at(actor_uri: str, host: str) -> str:
    """The id of the collection of those of its followers who are at one host, for that host."""
    return f"{actor_uri}/followers/{host}"


def following_of(actor_uri: str) -> str:
    """The id of the collection of whom one of our actors follows."""
    return f"{actor_uri}/following"


def featured_of(actor_uri: str) -> str:
    """The id of the collection of what one of our actors pinned."""
    return f"{actor_uri}/featured"


def featured_tags_of(actor_uri: str) -> str:
    """The id of the collection of the hashtags that one of our actors shows."""
    return f"{actor_uri}/featured-tags"


def rsa_key_of(actor_uri: str) -> str:
    """The id of the RSA key of one of our actors."""
    return f"{actor_uri}#main-key"


def ed25519_key_of(actor_uri: str) -> str:
    """The id of the Ed25519 key of one of our actors."""
    return f"{actor_uri}#ed25519-key"
