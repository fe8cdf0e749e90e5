"""The limits of one process at the doors where other servers speak to us.

A request claims, by the key that it names, to be of a host; until it is verified that is all there is. Such requests
draw on a bucket of the address that they come from and on one of the host that they claim. A success gives the tokens
back, and from then on that host at that address has a bucket of its own: nobody locks it out by using its name, nor by
standing behind the same address.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from privapub.limits.bucket import Buckets, Lately, Rate
from privapub.limits.people import Attempts, Calls, Doors
from privapub.limits.room import Room
from privapub.limits.sender import sender
from privapub.limits.turns import Turns
from privapub.settings import Settings

PROVEN = 3600.0  # seconds for which it is known that a host speaks from an address
MIB = 1 << 20
# Fetches of keys that are not known, or did not fit.
KEYS_OF_A_HOST = Rate(1.0, 1.0)
KEYS_FOR_AN_ADDRESS = Rate(1.0, 20.0)
KEYS_OF_WHO_IS_PROVEN = Rate(5.0, 50.0)
KEYS_AT_ONCE, KEYS_AT_ONCE_FOR_ONE = 64, 16
SENT_ON = Rate(0.2, 100.0)  # of the answers of one host: each costs a delivery to every server with a follower
REQUESTS_OF_ONE = 64  # at a time, of those of one address
SHARE = 2  # no address has more than one of so many parts of the room for bodies
LOOK_EVERY = 256  # proofs after which it is looked how many activities of the last one's host wait
FULL_FOR = 60.0  # seconds for which a host of which too many wait is refused


@dataclass(frozen=True)
class Caller:
    """Which host a request claims to be of ("": none), and from which network it comes (None: not known)."""

    host: str
    sender: str | None


@dataclass(frozen=True)
class Turn:
    """What was drawn for one request; or, with a `wait`, nothing, and it may come again after so many seconds."""

    wait: float = 0.0
    _drawn: Sequence[tuple[Buckets, Hashable]] = ()

    def give_back(self, now: float) -> None:
        """It was not needed: the request is of whom it claims to be."""
        for table, key in self._drawn:
            table.give_back(key, now)


class _Tables:
    """Buckets for what is not verified: of the address, of the claimed host, of who is proven."""

    def __init__(self, address: Rate, host: Rate, proven: Rate) -> None:
        self._address, self._host, self._proven = Buckets(address), Buckets(host), Buckets(proven)

    def turn(self, caller: Caller, now: float, *, proven: bool) -> Turn:
        of = self._of_proven(caller) if proven else self._of_claimed(caller)
        wait = max((table.wait(key, now) for table, key in of), default=0.0)
        if wait:
            return Turn(wait)
        for table, key in of:
            table.draw(key, now)
        return Turn(0.0, of)

    def _of_proven(self, caller: Caller) -> Sequence[tuple[Buckets, Hashable]]:
        return ((self._proven, caller),)

    def _of_claimed(self, caller: Caller) -> Sequence[tuple[Buckets, Hashable]]:
        of = ((self._address, caller.sender), (self._host, caller.host or None))
        return [(table, key) for table, key in of if key is not None]


class Limits:
    """All of them, with nothing drawn and nothing taken."""

    def __init__(self, settings: Settings) -> None:
        """As the settings say."""
        self._proxies = settings.proxies
        per_address = Rate.a_minute(settings.inbox_per_address)
        self._requests = _Tables(per_address, Rate.a_minute(settings.inbox_claims_per_host), per_address)
        self._keys = _Tables(KEYS_FOR_AN_ADDRESS, KEYS_OF_A_HOST, KEYS_OF_WHO_IS_PROVEN)
        self._proven = Lately(PROVEN)
        self._verified = Buckets(Rate.a_minute(settings.inbox_per_host))
        self._accepted = 0
        self._full = Lately(FULL_FOR)
        self._sent_on = Buckets(SENT_ON)
        self.turns = Turns()
        self.attempts = Attempts()
        self.calls = Calls(settings.api_per_token, settings.api_per_address)
        self.doors = Doors(settings.sign_ups_per_address)
        self.under_way = Room(settings.inbox_requests, min(REQUESTS_OF_ONE, settings.inbox_requests))
        self.bodies = Room(settings.inbox_memory * MIB, settings.inbox_memory * MIB // SHARE)
        self.key_fetches = Room(KEYS_AT_ONCE, KEYS_AT_ONCE_FOR_ONE)

    def sender(self, client: str | None, forwarded_for: Iterable[str]) -> str | None:
        """The network that a request comes from (`sender.sender`)."""
        return sender(client, forwarded_for, self._proxies)

    def knock(self, caller: Caller, now: float) -> Turn:
        """The turn of a request at an inbox; of who is proven, within what its host may send."""
        proven = self._proven.has(caller, now)
        if proven:
            wait = FULL_FOR if self._full.has(caller.host, now) else self._verified.wait(caller.host, now)
            if wait:
                return Turn(wait)
            if caller.sender is None:  # whoever uses its name cannot be told from it: it shall not be locked out
                return Turn()
        return self._requests.turn(caller, now, proven=proven)

    def fetch_key(self, caller: Caller, now: float) -> Turn:
        """The turn of a request whose key must be fetched."""
        return self._keys.turn(caller, now, proven=caller.sender is not None and self._proven.has(caller, now))

    def send_on(self, host: str, now: float) -> bool:
        """Whether one more of what a host answers here may go on to followers elsewhere; it is counted."""
        if self._sent_on.wait(host, now):
            return False
        self._sent_on.draw(host, now)
        return True

    def proved(self, caller: Caller, now: float) -> bool:
        """A request was of the host that it claims, which counts towards what that may send.

        Whether it is time to look how many of that host wait.
        """
        self._proven.saw(caller, now)
        self._verified.draw(caller.host, now)
        self._accepted = (self._accepted + 1) % LOOK_EVERY
        return not self._accepted

    def too_many_wait(self, host: str, now: float) -> None:
        """For a while no more is taken of this host."""
        self._full.saw(host, now)
