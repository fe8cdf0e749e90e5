"""A PrivaPub under attack by `town/adversary`: each attack is a row of the table, and what it got must be nothing.

After each one the victim comes to rest, and all that it holds is looked through: what an attack said in somebody else's
name, what it changed, whom it made known. Only the loopback's 127.0.0.1 is let through here, so that the traps that
listen beside it are private addresses like any other.
"""

import asyncio
import contextlib
import importlib
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import environments
from parties import BEGINNING, EMAIL, Controlled, Failed, PrivaPub, Stopped, wait
from processes import TOWN, Running, free_port
from sqlalchemy import func, select
from walk import Walk, step

from privapub.actors.tables import actor, actor_key
from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.federation.fetching.origin import origin
from privapub.jobs.tables import job

sys.path.append(str(TOWN / "adversary"))
importlib.import_module("privapub.job_table")  # with it come all tables
ATTACKS = importlib.import_module("enemy").ATTACKS
for _part in ("forgeries", "transport", "reaching", "exhausting"):
    importlib.import_module(_part)

RESTS = 90.0  # seconds in which the victim must have come to rest after an attack
MEMORY = 128 << 20  # bytes by which it may have grown meanwhile
WAITING = 1000  # jobs that may wait at any time
ROWS = 5000  # of any one table
HIDDEN = "not for you"
RUNS = re.compile(
    r"<\s*(?:script|iframe|svg|img|style|form|input|object|embed)\b|<[^>]*\son\w+\s*=|href=.?javascript:", re.IGNORECASE
)
SPILLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ufeff]")
State = dict[str, set[tuple[Any, ...]]]


class Eyes:
    """Looks into the victim's database, on a loop of its own."""

    def __init__(self, url: str) -> None:
        """Nothing is opened before the first look."""
        self._runner = asyncio.Runner()
        self._database = Database(url)

    def close(self) -> None:
        """Look no more."""
        self._runner.run(self._database.close())
        self._runner.close()

    def rows(self, statement: Any) -> list[Any]:
        """The rows of a question."""

        async def ask() -> list[Any]:
            async with self._database.read() as tx:
                return list(await tx.all(statement))

        return self._runner.run(ask())

    def at_rest(self) -> bool:
        """Whether nothing runs, and nothing is due now."""
        busy = (job.c.state == "leased") | ((job.c.state == "waiting") & (job.c.run_at <= time.time() + 0.3))
        return self.rows(select(func.count()).select_from(job).where(busy))[0][0] == 0

    def size(self) -> dict[str, int]:
        """How many rows each table has."""
        return {
            name: self.rows(select(func.count()).select_from(table))[0][0] for name, table in metadata.tables.items()
        }


class Siege(Controlled):
    """The victim and its enemy, as one party of the town."""

    name = environments.ADVERSARY

    def __init__(self, folder: Path, database: str, logs: Path) -> None:
        """Draw the ports; `database` is a URL, or "" for SQLite in the data folder."""
        self.victim = PrivaPub(folder / "victim", database, logs, name="victim", allow="127.0.0.1/32")
        self.eyes = Eyes(database or f"sqlite:///{folder / 'victim' / 'privapub.sqlite3'}")
        innocent, evil, self.control = free_port(), free_port(), free_port()
        self.running = Running(
            [sys.executable, str(TOWN / "adversary" / "peer.py"), "--victim", self.victim.origin, "--innocent",
             str(innocent), "--evil", str(evil), "--control", str(self.control)],
            logs / "adversary.log", env={"PYTHONPATH": self.victim.env["PYTHONPATH"]},
        )  # fmt: skip
        self.innocent, self.evil = f"http://127.0.0.1:{innocent}", f"http://localhost:{evil}"
        self.before: State = {}
        self.told: set[str] = set()
        self.began = self.most = 0
        self.handles: list[str] = []
        self.posts: dict[str, str] = {}

    # As a party of the town

    def begin(self) -> None:
        """Start both."""
        self.victim.begin()
        self.running.start()

    def until_ready(self) -> None:
        """Wait until both answer, and until the innocent have met."""
        self.victim.until_ready()
        wait("the adversary to start", self._ready, seconds=BEGINNING)
        self.victim.settle()
        self._meet()

    def stop(self) -> None:
        """Stop both."""
        self.eyes.close()
        self.running.stop()
        self.victim.stop()

    def _ready(self) -> Any:
        if self.running.ended():
            raise Stopped("the adversary stopped by itself")
        with contextlib.suppress(Failed):
            return self.ask("ready")
        return None

    def _meet(self) -> None:
        people = self.ask("ready")["people"]
        alice, bob = self.victim.persona("alice"), self.victim.persona("bob")
        self.handles = [self.victim.persona("night")["id"], "night"]
        for uri in people.values():
            self.victim.run("follow", "add", "--persona", "alice", uri)
        self.victim.run("follow", "add", "--persona", "bob", people["carol"])  # whom she never answers
        texts = {
            "public": "hello",
            "followers": f"{HIDDEN} #secret",
            "direct": f"{HIDDEN} {self._address('carol')}",
            "gone": HIDDEN,
        }
        for name, text in texts.items():
            audience = "followers" if name == "gone" else name
            made = self.victim.run("post", "create", "--persona", "alice", "--audience", audience, text)
            self.posts[name] = made["uri"]
            if name == "gone":
                self.victim.run("post", "delete", str(made["id"]), "--persona", "alice")
        self.rest()  # carol has been asked
        told = {"alice": _inbox(alice), "bob": _inbox(bob), "posts": self.posts}
        statuses = self.tell("begin", **told)["statuses"]
        if set(statuses) != {202}:
            raise Failed(f"what the innocent said was answered {statuses}")
        self.rest()
        self.before = self.state()
        self.began = self.most = self.memory()

    def _address(self, handle: str) -> str:
        return f"@{handle}@{self.innocent.partition('//')[2]}"

    # What an attack got

    def try_(self, name: str) -> list[str]:
        """Attack, wait until all that follows from it is done, and look; what it got, in words."""
        got = list(self.tell("attack", name=name)["got"])
        try:
            self.rest()
        except Failed as failed:
            got.append(str(failed))
        return got + self.came_in()

    def rest(self) -> None:
        """Wait until nothing is under way."""

        def look() -> bool:
            if self.victim.running.ended():
                raise Stopped("the victim has stopped")
            self.most = max(self.most, self.memory())
            return self.eyes.at_rest()

        wait("the victim to come to rest", look, seconds=RESTS)

    def memory(self) -> int:
        """The memory of all processes of the victim, in bytes."""
        assert self.victim.running.process is not None
        mine, total = {self.victim.running.process.pid}, 0
        parents = _parents()
        while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
            mine |= more
        for pid in mine:
            with contextlib.suppress(OSError):
                total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return total

    def state(self) -> State:
        """What stands between the innocent, and what they are and wrote."""
        t = metadata.tables
        who, other = actor.alias("who"), actor.alias("other")
        post = t["post"]
        theirs = post.join(who, who.c.id == post.c.author_id)

        def asked(*columns: Any, of: Any) -> set[tuple[Any, ...]]:
            return {tuple(str(cell) for cell in row) for row in self.eyes.rows(select(*columns).select_from(of))}

        def of_posts(name: str, *columns: Any) -> set[tuple[Any, ...]]:
            joined = t[name].join(post, post.c.id == t[name].c.post_id).join(who, who.c.id == t[name].c.actor_id)
            return asked(post.c.uri, who.c.uri, *columns, of=joined)

        def between(name: str, one: str, two: str, *columns: Any) -> set[tuple[Any, ...]]:
            joined = t[name].join(who, who.c.id == t[name].c[one]).join(other, other.c.id == t[name].c[two])
            return asked(who.c.uri, other.c.uri, *columns, of=joined)

        said = (post.c.content, post.c.summary, post.c.audience, post.c.deleted_at, post.c.quote, post.c.quote_state)
        profile = (actor.c.handle, actor.c.host, actor.c.name, actor.c.summary, actor.c.inbox, actor.c.state)
        keys = actor_key.join(actor, actor.c.id == actor_key.c.actor_id)
        return {
            "post": asked(post.c.uri, who.c.uri, *said, of=theirs),
            "named": of_posts("post_recipient"),
            "reaction": of_posts("reaction", t["reaction"].c.emoji),
            "boost": of_posts("boost"),
            "follow": between("follow", "follower_id", "followed_id", t["follow"].c.state),
            "block": between("block", "blocker_id", "blocked_id"),
            "actor": asked(actor.c.uri, *profile, actor.c.moved_to, actor.c.url, actor.c.icon, of=actor),
            "key": asked(actor.c.uri, actor_key.c.id, actor_key.c.public, of=keys),
        }

    def _mine(self) -> tuple[str, str]:
        """How the ids of the enemy's own people begin."""
        return self.evil, f"{self.innocent}/u/mallory"

    def came_in(self) -> list[str]:
        """What is there that may not be, and what is gone that was there; each is told once, to the row that got it."""
        now, mine = self.state(), self._mine()
        gone = [(name, row) for name in now for row in self.before[name] - now[name]]
        got = [
            f"{row[:2]} of {name} is gone or changed"
            for name, row in gone
            if not any(cell.startswith(mine) for cell in row[:2])
        ]
        for name in now:
            for row in now[name] - self.before[name]:
                got += [f"{row[:2]} of {name}: {why}" for why in self._wrong(name, row)]
        got += [f"{place} was reached" for place in self.ask("trapped")["trapped"]]
        fresh = [each for each in got if each not in self.told]
        self.told.update(fresh)
        return fresh

    def _wrong(self, name: str, row: tuple[str, ...]) -> list[str]:
        """Why a row that was not there before may not be; what the enemy says of itself may."""
        mine, why = self._mine(), list[str]()
        if name in {"follow", "block"} and not row[0].startswith(mine) and not self._was_with(mine, name, row):
            why.append("somebody else's relation")
        if name in {"reaction", "boost"} and not row[1].startswith(mine):
            why.append("in somebody else's name")
        if name in {"reaction", "boost", "named"} and row[0] in {
            self.posts[hidden] for hidden in ("followers", "direct")
        }:
            why.append("of what it may not see")
        if name == "named" and row[0] in {old[0] for old in self.before["post"]}:
            why.append("its audience was widened")
        if name == "post":
            why += self._wrong_post(row)
        if name == "actor":
            why += self._wrong_actor(row)
        if name == "key" and origin(row[0]) != origin(row[1]):
            why.append("a key of another host")
        return why + (["it runs or spills"] if any(SPILLS.search(cell) for cell in row) else [])

    def _was_with(self, mine: tuple[str, ...], name: str, row: tuple[str, ...]) -> bool:
        """Whether a relation with one of the enemy was there before: it may end it, and so does a rule about it."""
        return row[1].startswith(mine) and any(row[:2] == old[:2] for old in self.before[name])

    def _wrong_post(self, row: tuple[str, ...]) -> list[str]:
        uri, author, content, summary, *_, quote, state = row
        why = ["it is forged"] if "forged" in content + summary and not author.startswith(self.evil) else []
        if origin(uri) != origin(author) or uri.startswith(self.victim.origin):
            why.append("of another host than its author")
        if state == "accepted" and not quote.startswith(self.evil):
            why.append("a quote that nobody allowed")
        if "between us" in content and row[4] in {"public", "unlisted"}:
            why.append("it is shown to everybody")
        if "blocked" in content:
            why.append("it is of a blocked host")
        return why + (["it runs"] if RUNS.search(content) else [])

    def _wrong_actor(self, row: tuple[str, ...]) -> list[str]:
        uri, handle, host, _, summary, *more = row
        why = ["an address of another host"] if host != origin(uri) else []
        if not uri.startswith((f"{self.evil}/u/", f"{self.innocent}/u/")):
            why.append("an actor that is none")
        if "/" in handle or any(cell.startswith("javascript:") for cell in more):
            why.append("a name or an address that is none")
        return why + (["it runs"] if RUNS.search(summary) else [])


def _inbox(persona: dict[str, str]) -> dict[str, str]:
    return {"id": persona["id"], "inbox": f"{persona['id']}/inbox"}


def _parents() -> dict[int, int]:
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            found[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    return found


# ---- the rows ----------------------------------------------------------------------------------------------------


def row(name: str) -> Callable[[Callable[[Siege], list[str]]], Callable[[Siege], list[str]]]:
    """A row with only the adversary in it: what comes back is what it got."""

    def into_table(act: Callable[[Siege], list[str]]) -> Callable[[Siege], list[str]]:
        def walked(walk: Walk) -> None:
            if got := act(walk.peer):
                more = f" and {len(got) - 4} more" if len(got) > 4 else ""
                raise Failed("; ".join(got[:4]) + more)

        step(name, columns=(environments.ADVERSARY,))(walked)
        return act

    return into_table


for _name in ATTACKS:
    row(_name)(lambda siege, name=_name: siege.try_(name))


@row("2 bodies: pages that cost, pasted by a persona (fetch/09)")
def _(siege: Siege) -> list[str]:
    got = []
    for name in siege.tell("pages")["pages"]:
        begun = time.monotonic()
        done = siege.victim.teller.run(["federation", "resolve", name, "--json"])
        spent = time.monotonic() - begun
        got += [f"{name}: it took {spent:.0f} s"] if spent > 15 else []
        got += [f"{name}: {done['err'][-200:]}"] if "Traceback" in done["err"] else []
    return got + siege.came_in()


@row("14 domain rules: a blocked host, in every spelling")
def _(siege: Siege) -> list[str]:
    siege.victim.run("domain", "block", "LocalHost.")
    try:
        siege.rest()
        told = siege.tell("blocked")
        siege.rest()
        asked = siege.ask("heard")["asked"] - told["asked"]
        return told["got"] + ([f"it was asked {asked} times by way of another"] if asked else []) + siege.came_in()
    finally:
        siege.victim.run("domain", "remove", "localhost")


@row("after: nothing came in later, and no private address was reached")
def _(siege: Siege) -> list[str]:
    siege.rest()
    return siege.came_in()


@row("after: the enemy holds nothing that is not for it")
def _(siege: Siege) -> list[str]:
    told = siege.ask("heard")
    words = (EMAIL, "PRIVATE KEY", *siege.handles)
    got = [f"{word!r} came to it" for word in words if any(word in text for text in (*told["heard"], *told["read"]))]
    # Carol lives beside it, and was written to: to no inbox but her own, and in no answer to anybody.
    loose = [text for text in told["heard"] if HIDDEN in text and not text.startswith("POST /u/carol/inbox ")]
    return got + ([f"{HIDDEN!r} came to it"] if loose or any(HIDDEN in text for text in told["read"]) else [])


@row("after: what the victim signed is of use where it was sent, and nowhere else (fetch/10)")
def _(siege: Siege) -> list[str]:
    places = siege.ask("heard")["signed"]
    return [f"signed for all of {it}" for it in places if len(it) > 1] if places else ["nothing was signed"]


@row("after: logs tell of nobody, and of nothing that broke")
def _(siege: Siege) -> list[str]:
    words = (HIDDEN, EMAIL, "PRIVATE KEY", "Traceback", "/u/", "/posts/", *siege.handles)
    text = siege.victim.running.log.read_text(errors="replace")
    return [f"{word!r} is in the log" for word in words if re.search(rf"(?<!\w){re.escape(word)}", text)]


@row("after: memory, queue and tables are within their bounds")
def _(siege: Siege) -> list[str]:
    grown = siege.most - siege.began
    got = [f"it grew by {grown >> 20} MiB"] if grown > MEMORY else []
    waiting = siege.eyes.rows(select(func.count()).select_from(job).where(job.c.finished_at.is_(None)))[0][0]
    got += [f"{waiting} jobs wait"] if waiting > WAITING else []
    return got + [f"{name} has {count} rows" for name, count in siege.eyes.size().items() if count > ROWS]


@row("after: what is honest comes in as before")
def _(siege: Siege) -> list[str]:
    told = siege.tell("honest")
    uri = told["uri"]
    if told["status"] != 202:
        return [f"carol is answered {told['status']}"]
    try:
        wait("carol's next post in alice's timeline", lambda: siege.victim.seen("alice", uri), seconds=20)
    except Failed as failed:
        return [str(failed)]
    return []
