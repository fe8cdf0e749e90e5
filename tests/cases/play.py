"""One run of a case: what is given is done in its order, and every sentence is checked when it is due."""

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cases import later
from cases.folder import OTHER_WAY, OUTGOING, Case
from cases.stage import Stage, stage
from cases.words import NotBuilt, Unknown, Words
from fakes.internet import Received, Site
from fakes.world import World
from privapub import clock

MUST = Words("expectation")
MUST_NOT = Words("expectation (must not)")
HERE = "local"  # is what somebody here does
UPLOADED = {"file_b64", "recipe"}
ORDINALS = {"first": 0, "second": 1, "third": 2}


@dataclass(frozen=True)
class Reply:
    """What the server under test answered to something that the case asks of it."""

    step: int
    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict)
    expected: str | None = None
    what: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Play:
    """Whoever plays: the world, what was answered and received so far, and which fields of the case were looked at."""

    def __init__(self, case: Case, name: str, given: dict[str, Any], world: World, waits: list[str]) -> None:
        self.case, self.name, self.given, self.world, self.waits = case, name, given, world, waits
        self.on: Stage
        self.sites: dict[str, Site] = {"peer.test": world.peer, "other.test": world.other}
        self.replies: list[Reply] = []
        self.beside: list[Reply] = []  # answers to what is done beside, of which only what names them speaks
        self.focus: list[Reply] | None = None  # of which answers a sentence speaks, where not of all
        self.step = 0
        self.marks: dict[int, dict[str, int]] = {}  # how much each peer had received when a step had ended
        self.notes: dict[str, Any] = {}  # what one part of the harness leaves for another
        self.known: dict[str, Any] = {}  # what was found by `resolve`, or the error
        self.before: dict[str, Any] = {}
        self.missing: list[NotBuilt] = []
        self._looked_at: set[str] = set()

    # What is given

    def take(self, name: str, default: Any = None) -> Any:
        """A field of the case, which by this counts as understood."""
        self._looked_at.add(name)
        return self.given.get(name, default)

    def check_all_was_looked_at(self) -> None:
        """Raises Unknown for a field that nobody asked for."""
        if strange := sorted(set(self.given) - self._looked_at):
            raise Unknown("field", strange[0])

    # Peers

    async def site(self, host: str) -> Site:
        """The peer of this name, opened where there was none."""
        if host not in self.sites:
            self.sites[host] = await self.world.site(host)
        return self.sites[host]

    def received(self, host: str = "", *, method: str = "", after: int = 0) -> list[Received]:
        """What a peer (or all of them) received, in all or after a step."""
        found = []
        for name, site in self.sites.items():
            if host in ("", name):
                found += site.received[self.marks.get(after, {}).get(name, 0) :]
        return [each for each in found if method in ("", each.method)]

    def sent(self, kind: str = "", *, host: str = "", after: int = 0) -> list[Received]:
        """The activities that a peer (or all of them) was sent, of this type."""
        posts = self.received(host, method="POST", after=after)
        return [each for each in posts if kind in ("", each.json["type"])]

    def forget_what_was_received(self) -> None:
        """What comes from now on counts."""
        for site in self.sites.values():
            site.received.clear()

    # What was answered

    @property
    def told(self) -> list[Reply]:
        """The answers of which the present sentence speaks."""
        return [each for each in self.replies if each not in self.beside] if self.focus is None else self.focus

    @property
    def activity(self) -> dict[str, Any]:
        """The last activity of the steps that brings a post."""
        for document in reversed(self.notes.get("activities", [])):
            if isinstance(document.get("object"), dict) and document["object"].get("type") not in ("Follow", "Like"):
                return dict(document)
        raise Unknown("post", "the case brings none")

    async def drain(self) -> None:
        """Run what is due, until nothing is; what was waited for in vain says so."""
        async with asyncio.timeout(120):
            await self.world.drain()


@dataclass(frozen=True)
class Sentence:
    """An expectation as it was read: what is to be checked, when, and of what it speaks."""

    text: str
    checks: list[Any]
    after: int | None = None
    answer: int | None = None


def sentences(play: Play) -> list[Sentence]:
    """All expectations that concern this run. Raises Unknown for those that nobody understands."""
    found: list[Sentence] = []
    for table, texts in ((MUST, play.case.must), (MUST_NOT, play.case.must_not)):
        for text in texts:
            rest = later.trim(text, play.waits)
            if rest and (sentence := _sentence(play, table, rest)):
                found.append(sentence)
    return found


def _sentence(play: Play, table: Words, text: str) -> Sentence | None:
    """None where it speaks of other runs only."""
    answer = None
    head, colon, rest = text.partition(": ")
    if colon and (here := _names_this(play, head)) is not None:
        if not here:
            return None
        text = rest
    elif colon and head.lower() in ORDINALS:
        answer, text = ORDINALS[head.lower()], rest
    elif colon and head == OUTGOING:
        return Sentence(rest, table.read(play.on.fill(rest))) if OUTGOING in play.given else None
    if play.name in (OUTGOING, OTHER_WAY) and table is MUST:
        return None
    after = None
    found = re.fullmatch(r"(?:after step (\d+)[:,] )?(.*?)(?: after step (\d+))?", text, re.DOTALL)
    if found and not (found[1] and found[3]) and "after step" not in found[2]:
        after, text = int(found[1] or found[3] or 0) or None, found[2]
    return Sentence(text, table.read(play.on.fill(text)), after, answer)


def _names_this(play: Play, head: str) -> bool | None:
    """Whether the head of a sentence names this run; None where it names no runs."""
    if {part.strip() for part in head.split(",")} <= (names := {name for name, _ in play.case.runs()}):
        return play.name in {part.strip() for part in head.split(",")} & names
    if head.lower() in ("other variants", "others"):
        return not any(re.search(rf"(^|[ ,]){re.escape(play.name)}[:,]", other) for other in play.case.must)
    return bool(UPLOADED & set(play.given)) if head.lower() == HERE else None


async def check(play: Play, due: list[Sentence]) -> None:
    """Check these now; a failure names the sentence."""
    for sentence in due:
        play.focus = None if sentence.answer is None else [play.replies[sentence.answer]]
        play.notes["after"] = 0
        for part, meaning in sentence.checks:
            try:
                await meaning(play)
            except NotBuilt as error:
                play.missing.append(error)  # the rest is checked nevertheless
            except AssertionError as error:
                raise AssertionError(f"{play.name or 'the case'}: not so: {part!r}\n{error}") from error
    play.focus = None


async def begin(play: Play) -> None:
    """The clock of the case and its people."""
    if now := play.take("now"):
        clock.advance(datetime.fromisoformat(now).timestamp() - clock.now())
    play.on = await stage(play.world)
    text = json.dumps(play.given) + " ".join((*play.case.must, *play.case.must_not))
    if "alice.note1" in text:
        await play.on.make_note()
        play.on.placeholders["alice.note1.id"] = play.on.placeholders["alice.note1"]
    if "{night." in text:
        await play.on.make_persona("night")
    await play.drain()
