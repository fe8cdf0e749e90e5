"""What is so before a case begins: the `setup` in words, and the stubs of `serve`."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from cases import verbs
from cases.files import png
from cases.play import Play
from cases.words import Unknown, Words
from fakes.activities import create, follow_of, note, of, post_at
from fakes.world import Person, rsa
from makers import make_remote, private_keys
from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.actors.keys import public_rsa
from privapub.actors.read import Actor
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import BadSignature, HttpRequest

SETUP = Words("setup")
STUB = {"url", "method", "status", "headers", "body", "json", "actor", "requires", "behaviour"}
RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")
NUMBERED = re.compile(r"\{n(\+1)?\}")
NUMBERS = 120  # so many of what has no end
LISTED = Words("thing in a list")
HALVED = 200  # pixels of a side of a picture of which a peer sends one half


async def someone(play: Play, name: str) -> Actor:
    """One of ours, or somebody elsewhere, learnt."""
    return play.on.ours.get(name) or await play.world.learnt(play.on.named(name))


async def follows(play: Play, follower: str, followed: str, uri: str = "") -> None:
    """As it comes about between servers: a Follow and its Accept."""
    one, other = await someone(play, follower), await someone(play, followed)
    if follower in play.on.ours:
        asked = await verbs.follow(play.world, one, other)
        if followed not in play.on.ours:
            them = play.on.named(followed)
            await play.world.post(one.inbox, of("Accept", them, asked, f"{them.uri}/accepts/{follower}"), by=them)
    else:
        them = play.on.named(follower)
        await play.world.post(other.inbox, follow_of(them, other, uri or f"{them.uri}/follows/{followed}"), by=them)
    await play.drain()
    assert await verbs.follow_state(play.world, one, other) == "accepted"


async def writes(play: Play, name: str, uri: str) -> None:
    """Somebody elsewhere has written a public post, which alice got."""
    them = play.on.named(name)
    written = note(them, uri, cc=[play.on.alice.uri])
    host = urlsplit(uri).netloc
    await play.world.post(play.on.alice.inbox, create(them, written, f"https://{host}/creates/{uri[-8:]}"), by=them)
    await play.drain()
    assert await post_at(play.world, uri) is not None


@SETUP.on(r"(\w+) follows (\w+)(?:, who accepted)?", r"(\w+) is a follower of (\w+)")
async def one_follows(play: Play, follower: str, followed: str) -> None:
    await follows(play, follower, followed)


@SETUP.on(r"(\w+) (?:has followers|is followed by) (.+)")
async def has_followers(play: Play, followed: str, whom: str) -> None:
    """`carol (shared inbox URL) and ex (own inbox URL, no shared inbox)`."""
    for name, inboxes in re.findall(r"(\w+)(?: \(([^)]*)\))?(?:, | and |$)", whom):
        them = play.on.named(name)
        if found := re.search(r"own inbox (\S+?)(?:,|$)", inboxes):
            them.changes["inbox"] = found[1]
        if found := re.search(r"(?<!no )shared inbox (\S+)", inboxes):
            them.changes["endpoints"] = {"sharedInbox": found[1]}
        elif "no shared inbox" in inboxes:
            them.changes.pop("endpoints", None)
        play.world.serve_person(them)
        await follows(play, name, followed)


@SETUP.on(r"(?:SUT|the server) knows (.+)")
async def knows(play: Play, what: str) -> None:
    """`carol, her note URL, her like URL on POST, her accepted follow of alice URL`."""
    who = ""
    for part in what.split(", "):
        if found := re.fullmatch(r"(?:her|his|their) note (\S+)", part):
            await writes(play, who, found[1])
        elif found := re.fullmatch(r"(?:her|his|their) like (\S+) on (\S+)", part):
            them = play.on.named(who)
            await play.world.post(play.on.alice.inbox, of("Like", them, found[2], found[1]), by=them)
            await play.drain()
        elif found := re.fullmatch(r"(?:her|his|their) accepted follow of (\w+) (\S+)", part):
            await follows(play, who, found[1], found[2])
        elif re.fullmatch(r"\w+", part):
            who = part
            await someone(play, part)
        else:
            raise Unknown("setup", part)


@SETUP.on(r"note (https://\S+?)(?:(?: is)? known)(?:, no edits)?")
async def note_known(play: Play, uri: str) -> None:
    """By whom the steps say that it is."""
    text = json.dumps(play.given)
    author = re.search(re.escape(json.dumps(uri)) + r', "attributedTo": "([^"]+)"', text)
    await writes(play, author[1].rpartition("/")[2] if author else "carol", uri)


@SETUP.on(r"(\w+) knows shared inboxes on (\d+) hosts")
async def knows_hosts(play: Play, _who: str, count: str) -> None:
    async with play.world.database.write() as tx:
        for number in range(int(count)):
            await make_remote(tx, f"x@host{number}.test")


@SETUP.on(r"(\w+) blocks (\w+)(?:@\S+)?")
async def blocks(play: Play, who: str, whom: str) -> None:
    await verbs.block(play.world, play.on.ours[who], await someone(play, whom))


async def serve(play: Play, stubs: list[dict[str, Any]]) -> None:
    """From now on peers answer so."""
    for stub in stubs:
        if strange := sorted(set(stub) - STUB):
            raise Unknown("field of a stub", strange[0])
        if "{n}" in stub["url"]:
            await serve(play, [json.loads(_numbered(json.dumps(stub), number)) for number in range(1, NUMBERS + 1)])
            continue
        for each in _urls(stub["url"]):
            url = play.on.fill(each)
            await play.site(urlsplit(url).netloc)
            if "actor" in stub:
                _serve_actor(play, url, stub)
            else:
                _serve_page(play, url, {**stub, **await _with_items(play, stub)})


def first_of(url: str) -> str:
    """The address of a stub; of one for every number the first."""
    return _numbered(url, 1)


def _numbered(text: str, number: int) -> str:
    return NUMBERED.sub(lambda found: str(number + bool(found[1])), text)


async def _with_items(play: Play, stub: dict[str, Any]) -> dict[str, Any]:
    """A stub's document, where that is a list of what some of its items say in words, as `{note a}`."""
    document = stub.get("json")
    names = [name for name in ("items", "orderedItems") if isinstance(document, dict) and name in document]
    return {"json": {**document, **{name: await _listed(play, document[name]) for name in names}}} if names else {}


async def _listed(play: Play, items: list[Any]) -> list[Any]:
    found = []
    for item in items:
        if isinstance(item, str) and re.fullmatch(r"\{\S+ .*\}", item):
            for _, meaning in LISTED.read(item[1:-1]):
                await meaning(play)
                found += play.notes.pop("listed")
        else:
            found.append(item)
    return found


@LISTED.on(r"note (\w+)")
async def a_note(play: Play, name: str) -> None:
    uri = f"https://peer.test/n/{name}"
    play.world.serve(uri, note(play.on.named("carol"), uri))
    play.notes["listed"] = [uri]


@LISTED.on(r"(\d+) ids on (\d+) different hosts")
async def on_many_hosts(play: Play, count: str, hosts: str) -> None:
    play.notes["listed"] = [f"https://h{number % int(hosts)}.test/n/{number}" for number in range(int(count))]


def _urls(url: str) -> list[str]:
    """One for each number of a range `{1..500}`."""
    found = RANGE.search(url)
    if not found:
        return [url]
    return [url.replace(found[0], str(number)) for number in range(int(found[1]), int(found[2]) + 1)]


def _serve_actor(play: Play, url: str, stub: dict[str, Any]) -> None:
    changes = play.on.fill(stub["actor"])
    known = play.on.people.get(url.partition("?")[0])
    person = Person(
        url, known.handle if known else url.rpartition("/")[2], changes={**(known.changes if known else {}), **changes}
    )
    play.on.people[url] = person
    play.on.placeholders[f"{person.handle}.pem"] = person.pem
    rsa(person.key_name or person.uri)
    play.world.serve_person(person)
    play.world.pages[url].requires = _requires(play, url, stub)


def _serve_page(play: Play, url: str, stub: dict[str, Any]) -> None:
    headers = dict(play.on.fill(stub.get("headers", {})))
    kind = "application/jrd+json" if "/.well-known/webfinger" in url else "application/activity+json"
    if "Content-Type" in headers:
        kind = headers["Content-Type"]
    body = play.on.fill(stub["json"]) if "json" in stub else stub.get("body", "").encode()
    more = {"status": stub.get("status", 200), "headers": headers, "requires": _requires(play, url, stub)}
    length = int(headers.pop("Content-Length", 0))
    if behaviour := stub.get("behaviour"):
        if behaviour != "closes after half of the announced length":
            raise Unknown("behaviour of a stub", behaviour)
        body = png(HALVED, HALVED)
        length, body, kind = len(body), body[: len(body) // 2], "image/png"
    if length:
        more["requires"] = _breaks_off(kind, length, body)
    play.world.serve(url, body, content_type=kind, **more)


def _breaks_off(kind: str, length: int, body: bytes) -> Any:
    """What announces more than it sends, and ends."""

    def ends(request: Any) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        request.transport.write(head.encode() + body)
        request.transport.close()

    return ends


def is_signed(play: Play, request: Any, url: str) -> bool:
    """Whether our application actor signed a GET for this very host, path and query, just now."""
    sent = HttpRequest("GET", url, tuple(request.headers.items()))
    owner = Addresses(play.world.server.base_url).application
    key = PublicKey.from_pem(f"{owner}#main-key", owner, public_rsa(private_keys().rsa))
    try:
        presented = examine(sent, clock.now())
        check(presented, sent, key)
    except BadSignature:
        return False
    return presented.key_id == key.id


def _requires(play: Play, url: str, stub: dict[str, Any]) -> Any:
    """What refuses a request that is not as the stub requires."""
    wanted, method = stub.get("requires", ""), stub.get("method")
    signature = re.fullmatch(r"valid signature for get (\S+)", wanted)
    accept = re.fullmatch(r"Accept contains (.+), else (\d+)", wanted)
    if wanted and not (signature or accept):
        raise Unknown("requirement of a stub", wanted)

    def refuses(request: Any) -> int | None:
        if method and request.method != method:
            return 404
        if signature and not is_signed(play, request, url):
            return 401
        if accept and not any(kind in request.headers.get("Accept", "") for kind in accept[1].split(" or ")):
            return int(accept[2])
        return None

    return refuses
