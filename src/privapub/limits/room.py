"""Room that is shared: whoever asks gets it at once or is told that there is none. Nobody waits."""

from collections import Counter
from collections.abc import Hashable


class Room:
    """So much for all together, and so much of it for one; a holder of whom nothing is known (None) is not limited."""

    def __init__(self, most: int, most_of_one: int) -> None:
        """All of it is free."""
        self._most = most
        self._most_of_one = most_of_one
        self._taken = 0
        self._of: Counter[Hashable] = Counter()

    @property
    def taken(self) -> int:
        """How much is taken."""
        return self._taken

    def take(self, holder: Hashable, much: int = 1) -> bool:
        """Take so much more; False where there is not so much, and then nothing is taken."""
        mine = 0 if holder is None else self._of[holder] + much
        if self._taken + much > self._most or mine > self._most_of_one:
            return False
        self._taken += much
        if holder is not None:
            self._of[holder] = mine
        return True

    def free(self, holder: Hashable, much: int = 1) -> None:
        """Give so much back."""
        self._taken -= much
        if holder is not None:
            self._of[holder] -= much
            if self._of[holder] <= 0:
                del self._of[holder]
