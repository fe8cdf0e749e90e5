"""What one root cause may cost in fetches: the run of a job, a request that came, a command.

A budget is begun with its cause (`scope.cause`) and handed down to all that follows from it within the process, tasks
included; the door charges it at each request and each redirect, so that nothing can forget to. It only ever shrinks.
What is over it ends as `budget`, which is final: no job is tried again for it. A job that is tried again for another
reason spends anew: its attempts are few, and the door remembers most of what failed. What a job enqueues is a cause of
its own, and ends because nothing enqueues what it was itself enqueued by.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from privapub import clock

SPENT = "budget"  # the reason


@dataclass(frozen=True)
class Limits:
    """How much there is at the beginning.

    `objects` are requests and redirects but those for collections and their pages, which are `lists`; `bytes` are of
    bodies, packed or unpacked, whichever is more; `depth` is how many links are followed from one post to the next,
    where something follows them.
    """

    objects: int
    lists: int
    hosts: int
    bytes: int
    seconds: float
    depth: int = 0


REQUEST, COMMAND, OTHER = "request", "command", ""
# By kind of cause, a job's kind or one of these; `docs/reference/remembered.md` is written from it.
LIMITS: Mapping[str, Limits] = {
    "context": Limits(objects=500, lists=500, hosts=20, bytes=8 << 20, seconds=60.0, depth=200),
    # Of what somebody here writes, who names fifty people on fifty hosts.
    REQUEST: Limits(objects=400, lists=50, hosts=100, bytes=8 << 20, seconds=60.0),
    COMMAND: Limits(objects=400, lists=50, hosts=100, bytes=8 << 20, seconds=600.0),
    "name_later": Limits(objects=400, lists=50, hosts=100, bytes=8 << 20, seconds=60.0),
    "scheduled": Limits(objects=400, lists=50, hosts=100, bytes=8 << 20, seconds=60.0),
    # One file, as large as a setting may let it be, through its redirects.
    "remote_file": Limits(objects=4, lists=0, hosts=4, bytes=4 << 30, seconds=3600.0),
    OTHER: Limits(objects=40, lists=50, hosts=10, bytes=8 << 20, seconds=60.0),
}


@dataclass
class Budget:
    """What is left."""

    objects: int
    lists: int
    hosts: int
    bytes: int
    seconds: float
    depth: int
    met: set[str] = field(default_factory=set)
    begun: float = field(default_factory=clock.monotonic)
    told: bool = False  # whether it is known that something was over it

    @property
    def left(self) -> float:
        """The seconds that are left, 0 when there are none."""
        return max(0.0, self.seconds - (clock.monotonic() - self.begun))

    def spent(self) -> bool:
        """Whether nothing more may be asked for."""
        return self.objects <= 0 or self.bytes <= 0 or self.left <= 0

    def admit(self, host: str, *, lists: bool) -> bool:
        """Count a request to this host, for a list or for something else; False where it may not be made."""
        if self.spent() or (lists and self.lists <= 0) or (host not in self.met and len(self.met) >= self.hosts):
            return False
        self.met.add(host)
        if lists:
            self.lists -= 1
        else:
            self.objects -= 1
        return True


def of(kind: str) -> Budget:
    """A budget for a cause of this kind, that begins now."""
    limits = LIMITS.get(kind, LIMITS[OTHER])
    return Budget(limits.objects, limits.lists, limits.hosts, limits.bytes, limits.seconds, limits.depth)
