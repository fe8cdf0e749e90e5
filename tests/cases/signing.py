"""How requests are signed, in both directions: what comes in by parameters in words, what a peer takes by its forms."""

import base64
import json
import re
from typing import Any

from aiohttp import web

from cases import deliveries, verbs
from cases.given import field, look_up
from cases.play import MUST, MUST_NOT, Play, Reply, Sentence
from cases.setup import follows
from cases.stage import allowed
from cases.words import Unknown, Words
from fakes.activities import follow_of
from fakes.world import CONTEXT, Answered, Page, Person
from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.fetching import scheme as schemes
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.digest import sha256_base64
from privapub.federation.signatures.keys import PrivateKey

REQUEST = Words("request")
FORMS: dict[str, Scheme] = {"9421": "rfc9421", "cavage": "cavage"}
OFTEN = 5  # so many rounds of trying again show whether there is an end
HOUR = 3600.0


def form(headers: Any) -> Scheme:
    """In which form a request was signed."""
    return "rfc9421" if "Signature-Input" in headers else "cavage"


# What comes in, signed as the parameters say


@field("signature_params")
async def signed_as_said(play: Play, value: Any, due: list[Sentence]) -> None:
    """A Follow of carol's, by draft-cavage: the parameters as they are given, or an algorithm and words."""
    del due
    answer = await _signed(play, value, play.take("date"))
    status = play.take("status")
    play.replies.append(Reply(0, answer.status, answer.body, answer.headers, status, play.name))


async def _signed(play: Play, said: str, date: str | None, number: int = 1) -> Answered:
    carol = play.on.named("carol")
    body = json.dumps({"@context": CONTEXT, **follow_of(carol, play.on.alice, f"{carol.uri}/f/{number}")}).encode()
    names = _quoted(said, "headers") or ("(request-target) host date digest" if "headers with date" in said else "")
    if not names:
        raise Unknown("signature_params", said)
    # As they stand there, without what is only said of them.
    given = said.partition(" and ")[0].partition("; ")[0]
    parameters = given if "=" in given else f'algorithm="{given}",headers="{names}"'
    values = {
        "(request-target)": f"post {play.on.alice.inbox.removeprefix(play.world.server.base_url)}",
        "(created)": _bare(said, "created"),
        "(expires)": _bare(said, "expires"),
        "host": "sut.test",
        "date": date or "",
        "digest": f"SHA-256={sha256_base64(body)}",
    }
    text = "\n".join(f"{name}: {values[name]}" for name in names.split())
    key = PrivateKey.from_pem(carol.key_id, carol.private)
    signature = base64.b64encode(key.sign(text.encode())).decode()
    headers = [
        ("Host", values["host"]),
        ("Content-Type", "application/activity+json"),
        ("Digest", values["digest"]),
        ("Signature", f'keyId="{carol.key_id}",{parameters},signature="{signature}"'),
    ]
    if date is not None:
        headers.append(("Date", date))
    return await play.world.send(play.on.alice.inbox, body, tuple(headers))


def _quoted(said: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', said)
    return found[1] if found else ""


def _bare(said: str, name: str) -> str:
    found = re.search(rf'\b{name}="?(\d+)"?', said)
    return found[1] if found else ""


async def _at(play: Play, seconds: float, number: int) -> int:
    """The status of what was signed so long ago, or hence."""
    date = clock.http_date(clock.now() + seconds)
    return (await _signed(play, "rsa-sha256; headers with date", date, number)).status


@MUST.on(r"the window is finite, configured, and tolerant of a retry queue")
async def window(play: Play) -> None:
    """Hours into the past, some minutes to about an hour into the future; the settings say where it ends."""
    settings = play.world.server.settings
    assert 2 * HOUR <= settings.signature_past <= 48 * HOUR
    assert 300 <= settings.signature_ahead <= 2 * HOUR
    for number, (seconds, status) in enumerate(
        (
            (-2 * HOUR, "2xx"),
            (300.0, "2xx"),
            (-settings.signature_past + 60, "2xx"),
            (-settings.signature_past - 60, "401"),
            (settings.signature_ahead - 60, "2xx"),
            (settings.signature_ahead + 60, "401"),
        ),
        100,
    ):
        assert allowed(found := await _at(play, seconds, number), status), f"{seconds}: {found}"


@MUST_NOT.on(r"accept any age")
async def any_age(play: Play) -> None:
    for number, days in enumerate((3, 30, 3000), 200):
        assert await _at(play, -days * 86400.0, number) == 401, f"{days} days"


@field("request")
async def one_request(play: Play, value: Any, due: list[Sentence]) -> None:
    """A POST that comes in, in words."""
    del due
    for _, meaning in REQUEST.read(play.on.fill(value)):
        await meaning(play)


async def _post(play: Play, url: str, scheme: Scheme, **more: Any) -> None:
    carol = play.on.named("carol")
    answer = await play.world.post(url, follow_of(carol, play.on.alice), by=carol, scheme=scheme, **more)
    play.replies.append(Reply(0, answer.status, answer.body, answer.headers, None, f"{scheme} to {url}"))


@REQUEST.on(r"POST (\S+) with a broken Signature")
async def broken(play: Play, url: str) -> None:
    """In both forms, by the wrong key."""
    for scheme in FORMS.values():
        await _post(play, url, scheme, key_name="random")


@REQUEST.on(r"POST with valid Signature-Input/Signature \(RFC 9421\)")
async def valid(play: Play) -> None:
    await _post(play, play.on.alice.inbox, "rfc9421")


@MUST.on(r"401, never 2xx, so that peers can try their other form")
async def refused(play: Play) -> None:
    assert {reply.status for reply in play.told} == {401}


# What a peer takes


def _answers(lines: list[str]) -> dict[Scheme, int]:
    """`9421 -> 401`, `any -> 500`, as statuses by form, the first that is named first."""
    found: dict[Scheme, int] = {}
    for line in lines:
        said = re.fullmatch(r"(9421|cavage|any) -> (\d{3})\b.*", line)
        if said is None:
            raise Unknown("answer of a peer", line)
        for scheme in FORMS.values() if said[1] == "any" else [FORMS[said[1]]]:
            found.setdefault(scheme, int(said[2]))
    return found


@field("peer_inbox")
async def peer_inbox(play: Play, value: Any, due: list[Sentence]) -> None:
    """Alice, whom carol follows, posts a note; carol's server answers by the form. Where it refuses the form that is
    named first, that is the one that is thought to be right.
    """
    del due
    answers = _answers(value)
    await follows(play, "carol", "alice")
    _serve(play, deliveries.INBOX, answers)
    first = next(iter(answers))
    if answers[first] in (401, 403):
        await _think(play, "peer.test", first)
    play.notes["answers"], play.notes["began"] = answers, clock.now()
    play.forget_what_was_received()
    await verbs.post(play.world, play.on.alice, "a note")
    await play.drain()


def _serve(play: Play, url: str, answers: dict[Scheme, int]) -> None:
    page: Page = play.world.serve(url, b"")
    page.requires = lambda request: answers[form(request.headers)]


async def _think(play: Play, host: str, scheme: Scheme) -> None:
    async with play.world.database.write() as tx:
        await schemes.remember(tx, host, scheme, clock.now())


async def _thought(play: Play, host: str = "peer.test") -> Scheme:
    async with play.world.database.read() as tx:
        return await schemes.of_host(tx, host, clock.now())


def _taken(play: Play) -> list[Any]:
    """The notes that carol's server took."""
    return [each for each in deliveries.tries(play) if play.notes["answers"][form(each.headers)] < 300]


@MUST.on(r"(?:activity )?arrives once")
async def arrives_once(play: Play) -> None:
    assert len({each.json["id"] for each in _taken(play)}) == len(_taken(play)) == 1


@MUST.on(r"the next delivery to this host uses (cavage|9421) at once")
async def at_once(play: Play, name: str) -> None:
    before = len(deliveries.tries(play))
    await verbs.post(play.world, play.on.alice, "another note")
    await play.drain()
    assert [form(each.headers) for each in deliveries.tries(play)[before:]] == [FORMS[name]]


@MUST.on(r"memory flips")
async def flips(play: Play) -> None:
    answers = play.notes["answers"]
    assert await _thought(play) == next(scheme for scheme, status in answers.items() if status < 300)
    assert await _thought(play) != next(iter(answers))


@MUST.on(r"at most one further knock, then normal retry")
async def one_knock(play: Play) -> None:
    assert len(deliveries.tries(play)) <= 2
    await deliveries.retry(play)


@MUST.on(r"no endless second knocks")
async def no_endless_knocks(play: Play) -> None:
    for _ in range(OFTEN):
        before = len(deliveries.tries(play))
        found = await deliveries.standing(play)
        clock.advance(max(0.0, found.next_at - clock.now()) + 1)
        await play.drain()
        assert 1 <= len(deliveries.tries(play)) - before <= 2


@MUST.on(r"a fresh host is first addressed with the form that it itself used towards us, else cavage")
async def fresh_host(play: Play) -> None:
    assert form(deliveries.tries(play)[0].headers) == "cavage"
    dave = play.on.named("dave")
    for number, scheme in enumerate(FORMS.values()):
        host = f"fresh{number}.test"
        await play.site(host)
        them = Person(f"https://{host}/u/dave", dave.handle)
        play.world.serve_person(them)
        followed: Actor = play.on.alice
        await play.world.post(followed.inbox, follow_of(them, followed, f"{them.uri}/f"), by=them, scheme=scheme)
        await play.drain()
        (accept,) = play.sent("Accept", host=host)
        assert form(accept.headers) == scheme


@field("peer_get")
async def peer_get(play: Play, value: Any, due: list[Sentence]) -> None:
    """Somebody's document by the form of the question; the form that is named first is the one thought to be right."""
    del due
    them = play.on.named("ex")
    whole = them.document()
    shown: dict[Scheme, dict[str, Any]] = {}
    for line in value:
        said = re.fullmatch(r"(9421|cavage) -> 200 (minimal actor without (\w+)|full actor)", line)
        if said is None:
            raise Unknown("answer of a peer", line)
        shown[FORMS[said[1]]] = {name: each for name, each in whole.items() if name != said[3]}
    page = play.world.serve(them.uri, whole)

    def by_form(request: web.Request) -> None:
        page.body = json.dumps(shown[form(request.headers)]).encode()

    page.requires = by_form
    await _think(play, them.host, next(iter(shown)))
    play.forget_what_was_received()
    await look_up(play, f"@{them.handle}@{them.host}")


@MUST.on(r"actor without inbox is not stored")
async def has_an_inbox(play: Play) -> None:
    for found in play.known.values():
        if isinstance(found, Exception):
            assert await play.world.actor(play.on.named("ex").uri) is None
        else:
            assert found.inbox


@MUST.on(r"second form is tried")
async def second_form(play: Play) -> None:
    path = play.on.named("ex").uri.removeprefix("https://peer.test")
    asked = [form(each.headers) for each in play.received("peer.test", method="GET") if each.path == path]
    assert set(asked) == set(FORMS.values())
    assert len(asked) == 2
    assert not any(isinstance(found, Exception) for found in play.known.values())


@MUST.on(r"each variant's `expect`")
async def as_each_expects(play: Play) -> None:
    for _, meaning in MUST.read(play.on.fill(play.given["expect"])):
        await meaning(play)


@MUST_NOT.on(r"re-use the same activity twice at a peer that accepted it")
async def not_twice(play: Play) -> None:
    if "answers" in play.notes:
        ids = [each.json["id"] for each in _taken(play)]
        assert len(set(ids)) == len(ids)


@MUST_NOT.on(r"remember the winning form without expiry")
async def not_for_ever(play: Play) -> None:
    await _think(play, "peer.test", "rfc9421")
    assert await _thought(play) == "rfc9421"
    clock.advance(90 * 86400.0)
    assert await _thought(play) == schemes.FIRST
