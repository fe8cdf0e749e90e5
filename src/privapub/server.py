"""The handful of things that live as long as the process, built whole once and passed to whoever needs them."""

from dataclasses import dataclass

from privapub.database.connect import Database
from privapub.outbound.client import Door
from privapub.settings import Settings
from privapub.telemetry.arrivals import ArrivalRecorder
from privapub.telemetry.fetches import FetchRecorder


@dataclass(frozen=True)
class Server:
    """What a running PrivaPub holds. `base_url` has no slash at its end; `domain` is what addresses end in."""

    settings: Settings
    database: Database
    door: Door
    fetches: FetchRecorder
    arrivals: ArrivalRecorder

    @property
    def base_url(self) -> str:
        """Where the outside finds us: `https://example.org`."""
        return self.settings.base_url

    @property
    def domain(self) -> str:
        """The part of our addresses after the @."""
        return self.settings.handle_domain
