"""Where pictures are shown from: ours from the store, others' through the proxy, none from anywhere else (pure)."""

from dataclasses import dataclass

from privapub.actors.read import Actor
from privapub.media import names
from privapub.proxy.addresses import ProxyUrls, Size, Use


@dataclass(frozen=True)
class Pictures:
    """`base_url` is where the pages are, `media_base_url` where the media; neither has a slash at its end.

    `pixels` are those that a picture may have: a larger one is never shown.
    """

    base_url: str
    media_base_url: str
    proxy: ProxyUrls | None
    pixels: int

    @property
    def missing(self) -> str:
        """What is shown of nothing."""
        return f"{self.base_url}/static/missing.png"

    def ours(self, name: str) -> str:
        """A file of the store."""
        return f"{self.media_base_url}/media/{name}"

    def stored(self, address: object) -> str:
        """A file of the store by the address that it was given once; "" for what is none."""
        name = str(address or "").rpartition("/")[2]
        return "" if names.content_type(name) is None else self.ours(name)

    def elsewhere(self, use: Use, url: str | None, size: Size = "whole") -> str:
        """A file elsewhere; "" where there is none."""
        return self.proxy.of(use, url, size) if self.proxy is not None and url else ""

    def emoji(self, url: str) -> str:
        """The picture of an emoji elsewhere."""
        return self.elsewhere("emoji", url)

    def avatar(self, actor: Actor) -> tuple[str, str]:
        """The picture of an actor, and the one that does not move."""
        return self._of(actor, "avatar", actor.icon)

    def header(self, actor: Actor) -> tuple[str, str]:
        """The wide picture of an actor, likewise."""
        return self._of(actor, "header", actor.image)

    def _of(self, actor: Actor, use: Use, url: str | None) -> tuple[str, str]:
        if actor.local:
            found = self.stored(url) or self.missing
            return found, found
        found = self.elsewhere(use, url)
        return (found, self.elsewhere(use, url, "small")) if found else (self.missing, self.missing)
