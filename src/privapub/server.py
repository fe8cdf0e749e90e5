"""The handful of things that live as long as the process, built whole once and passed to whoever needs them."""

from dataclasses import dataclass
from typing import Self

from privapub.database.connect import Database
from privapub.database.counts import Counts
from privapub.limits.limits import Limits
from privapub.outbound.client import Door
from privapub.proxy.memory import Proxy
from privapub.settings import Settings
from privapub.storage.files import Files
from privapub.stream.broker import Broker
from privapub.telemetry.arrivals import ArrivalRecorder
from privapub.telemetry.departures import DepartureRecorder
from privapub.telemetry.fetches import FetchRecorder
from privapub.telemetry.tally import Tally
from privapub.telemetry.traffic import TrafficMeter


@dataclass(frozen=True)
class Server:
    """What a running PrivaPub holds. `base_url` has no slash at its end; `domain` is what addresses end in."""

    settings: Settings
    database: Database
    door: Door
    fetches: FetchRecorder
    arrivals: ArrivalRecorder
    departures: DepartureRecorder
    traffic: TrafficMeter
    limits: Limits
    files: Files
    proxy: Proxy
    broker: Broker
    counts: Counts

    @classmethod
    def around(cls, settings: Settings, database: Database, door: Door, fetches: FetchRecorder) -> Self:
        """A server with this door, which tells `fetches`, and with its other counts at nothing."""
        return cls(
            settings,
            database,
            door,
            fetches,
            ArrivalRecorder(database),
            DepartureRecorder(database),
            TrafficMeter(database),
            Limits(settings),
            Files.open(settings.storage),
            Proxy(database, settings.media_base_url, settings.cache_folder),
            Broker(database),
            Counts(),
        )

    @property
    def counting(self) -> tuple[FetchRecorder | Tally, ...]:
        """Everything that counts in memory what is to be written down."""
        return self.fetches, self.arrivals, self.departures, self.traffic, self.proxy

    @property
    def base_url(self) -> str:
        """Where the outside finds us: `https://example.org`."""
        return self.settings.base_url

    @property
    def media_base_url(self) -> str:
        """Where our media are found: the same, or a host of their own."""
        return self.settings.media_base_url

    @property
    def domain(self) -> str:
        """The part of our addresses after the @."""
        return self.settings.handle_domain
