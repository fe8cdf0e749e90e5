"""How often people, and programs for them, may ask: attempts to sign in, sign-ups, programs, and calls of the API.

Who comes from a network that is not known is not limited by it.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from privapub.limits.bucket import Buckets, Lately, Rate

# Attempts that failed.
FROM_A_NETWORK = Rate(1 / 20, 30.0)
AT_AN_ACCOUNT = Rate(1 / 60, 10.0)
KNOWN = 30 * 86_400.0  # seconds for which an account is not locked to the network from which it was signed in to
PROGRAMS = Rate(1 / 10, 60.0)  # registered from a network
LETTERS = Rate(1 / 1200, 3.0)  # to an account
LETTERS_FROM_A_NETWORK = Rate(1 / 120, 10.0)


WINDOW = 300.0  # seconds of calls of the API
HOUR = 3600.0


@dataclass(frozen=True)
class Allowance:
    """So many calls in all, so many left, and all of them again at `reset`; with a `wait`, none was taken."""

    limit: int
    left: int
    reset: float
    wait: float = 0.0


class Calls:
    """Calls of the API: with a token, or from a network without one."""

    def __init__(self, with_a_token: int, from_a_network: int) -> None:
        """None was made; so many in five minutes."""
        self._tokens = Buckets(Rate(with_a_token / WINDOW, float(with_a_token)))
        self._networks = Buckets(Rate(from_a_network / WINDOW, float(from_a_network)))

    def take(self, token_id: int | None, sender: str | None, now: float) -> Allowance | None:
        """One more call; None where it comes from nowhere that is known."""
        table, key = (self._tokens, token_id) if token_id is not None else (self._networks, sender)
        if key is None:
            return None
        wait = table.wait(key, now)
        if not wait:
            table.draw(key, now)
        left, burst = table.left(key, now), table.rate.burst
        return Allowance(int(burst), max(0, int(left)), now + (burst - left) / table.rate.a_second, wait)


class Doors:
    """What strangers may do so often from one network: register programs, ask for tokens, sign up, get letters."""

    def __init__(self, sign_ups_an_hour: int) -> None:
        """Nothing was done."""
        self.programs = Buckets(PROGRAMS)
        self.tokens = Buckets(PROGRAMS)
        self.sign_ups = Buckets(Rate(sign_ups_an_hour / HOUR, float(sign_ups_an_hour)))
        self.letters = Buckets(LETTERS)
        self.letters_from = Buckets(LETTERS_FROM_A_NETWORK)


def pass_through(table: Buckets, key: Hashable | None, now: float) -> float:
    """Seconds to wait; 0 where it may be done now, and then it is counted. Of nobody (None) nothing is counted."""
    wait = 0.0 if key is None else table.wait(key, now)
    if key is not None and not wait:
        table.draw(key, now)
    return wait


class Attempts:
    """Attempts to sign in. Those that succeed do not count.

    Whoever guesses at an account locks it for a while, but not to the network from which its owner came lately.
    """

    def __init__(self) -> None:
        """None was made."""
        self._network, self._account, self._known = Buckets(FROM_A_NETWORK), Buckets(AT_AN_ACCOUNT), Lately(KNOWN)

    def wait(self, sender: str | None, account: str, now: float) -> float:
        """Seconds until another attempt may be made; 0 where it may be made now, and then it is counted."""
        drawn = self._of(sender, account, now)
        wait = max((table.wait(key, now) for table, key in drawn), default=0.0)
        if not wait:
            for table, key in drawn:
                table.draw(key, now)
        return wait

    def succeeded(self, sender: str | None, account: str, now: float) -> None:
        """The attempt that was counted last was the owner's."""
        for table, key in self._of(sender, account, now):
            table.give_back(key, now)
        if sender is not None:
            self._known.saw((sender, account), now)

    def _of(self, sender: str | None, account: str, now: float) -> Sequence[tuple[Buckets, Hashable]]:
        known = sender is not None and self._known.has((sender, account), now)
        by_account: Hashable = (sender, account) if known else account
        return [(self._account, by_account), *([] if sender is None else [(self._network, sender)])]
