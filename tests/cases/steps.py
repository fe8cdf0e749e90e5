"""The steps of a case: one function for each `op`, with the fields that it reads."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from cases import clients, verbs
from cases.play import Play, Reply, Sentence, check
from cases.stage import allowed
from cases.words import Unknown, Words
from privapub import clock
from privapub.actors.read import Actor

Op = Callable[[Play, dict[str, Any]], Awaitable[None]]
OPS: dict[str, tuple[Op, set[str]]] = {}
LOCAL = Words("local act")
THING = Words("thing in braces")
IN_BRACES = re.compile(r"\{([^{}\"]+)\}")
NIGHT = "night"  # of the same account as alice
ALWAYS = {"op", "variant", "note"}


def op(name: str, *fields: str) -> Callable[[Op], Op]:
    """This function does the steps of this name, and reads these fields."""

    def teach(function: Op) -> Op:
        OPS[name] = (function, set(fields) | ALWAYS)
        return function

    return teach


def in_order(steps: list[Any], name: str) -> list[Any]:
    """The steps of one run: those that name another variant are left out, those that name a place stand there."""
    ordered = [step for step in steps if not isinstance(step, dict) or "variant" not in step]
    for step in steps:
        if isinstance(step, dict) and step.get("variant") == name:
            found = re.fullmatch(r"(.*) before (\w+)", step.get("do", ""))
            places = [number for number, each in enumerate(ordered) if found and each.get("op") == found[2]]
            if found and places:
                ordered.insert(places[0], {**step, "do": found[1]})
            else:
                ordered.append(step)
    return ordered


async def steps(play: Play, given: list[Any], due: list[Sentence]) -> None:
    """Every step in its order; what is to be true after a step is checked after it."""
    mentioned = {int(number) for text in play.case.must for number in re.findall(r"after step (\d+)", text)}
    for number, step in enumerate(in_order(given, play.name), 1):
        play.step = number
        await one(play, step)
        if number in mentioned or any(sentence.after == number for sentence in due):
            await play.drain()
        play.marks[number] = {host: len(site.received) for host, site in play.sites.items()}
        await check(play, [sentence for sentence in due if sentence.after == number])


async def one(play: Play, step: Any) -> None:
    """One step."""
    if isinstance(step, str):
        for _, act in LOCAL.read(play.on.fill(step)):
            await act(play)
        return
    name = step.get("op")
    if name not in OPS:
        raise Unknown("op", name)
    function, fields = OPS[name]
    if strange := sorted(set(step) - fields):
        raise Unknown(f"field of {name}", strange[0])
    await function(play, step)


@op("post_inbox", "to", "signed_by", "json", "raw", "delay_s", "status")
async def post_inbox(play: Play, step: dict[str, Any]) -> None:
    """A signed activity comes in; with a delay, what came before has been handled by then."""
    if step.get("delay_s"):
        await play.drain()
        clock.advance(step["delay_s"])
    document = step["json"] if "json" in step else json.loads(play.on.fill(step["raw"]))
    by = step.get("signed_by") or play.on.fill(document)["actor"]
    play.notes.setdefault("activities", []).append(play.on.fill(document) if "json" in step else document)
    answer = await play.on.post({"to": "{alice.inbox}", **step, "signed_by": play.on.fill(by)})
    expected = step.get("status")
    play.replies.append(Reply(play.step, answer.status, answer.body, answer.headers, expected, "post_inbox"))
    assert expected is None or allowed(answer.status, expected), f"answered {answer.status}, not {expected}"


@op("drain")
async def drain(play: Play, _step: dict[str, Any]) -> None:
    await play.drain()


@op("advance", "seconds", "minutes", "hours", "days")
async def advance(play: Play, step: dict[str, Any]) -> None:
    """Time passes; what was due before it has run."""
    await play.drain()
    unit = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
    clock.advance(sum(step[name] * seconds for name, seconds in unit.items() if name in step))


@op("repeat", "n", "step")
async def repeat(play: Play, step: dict[str, Any]) -> None:
    for number in range(1, step["n"] + 1):
        await one(play, json.loads(json.dumps(step["step"]).replace("{i}", str(number))))


@op("get", "url", "path", "accept", "status")
async def get(play: Play, step: dict[str, Any]) -> None:
    url = play.on.fill(step.get("url") or step["path"])
    await ask(play, url, accept=step.get("accept"), expected=step.get("status"))


@op("api", "method", "path", "token", "json", "status")
async def api(play: Play, step: dict[str, Any]) -> None:
    """What a client asks for."""
    method, path = step.get("method", "GET"), await things(play, play.on.fill(step["path"]))
    who = await _whose(play, step.get("token", "alice"))
    body = json.loads(await things(play, json.dumps(play.on.fill(step["json"])))) if "json" in step else None
    reply = await clients.ask(play.world, who, method, path, body)
    play.replies.append(replace(reply, step=play.step, expected=step.get("status")))


async def _whose(play: Play, token: str) -> Actor:
    """Who has a token: one of ours, or the other persona of the same account."""
    if token == "alice as persona 2":
        return play.on.ours.get(NIGHT) or await play.on.make_persona(NIGHT)
    if token not in play.on.ours:
        raise Unknown("token", token)
    return play.on.ours[token]


async def things(play: Play, text: str) -> str:
    """The text with the number of each thing that it tells in braces and in words."""
    for words in dict.fromkeys(IN_BRACES.findall(text)):
        for _, meaning in THING.read(words):
            await meaning(play)
        text = text.replace(f"{{{words}}}", str(play.notes.pop("thing")))
    return text


@op("local", "as", "do")
async def local(play: Play, step: dict[str, Any]) -> None:
    """Somebody here does something, through any client."""
    play.notes["as"] = play.on.ours[step.get("as", "alice")]
    for _, act in LOCAL.read(play.on.fill(step["do"])):
        await act(play)


@op("peer_up", "host")
async def peer_up(play: Play, step: dict[str, Any]) -> None:
    host = step.get("host", "peer.test")
    await play.sites[host].start(play.sites[host].port)


@op("peer_down", "host")
async def peer_down(play: Play, step: dict[str, Any]) -> None:
    await play.sites[step.get("host", "peer.test")].stop()


async def ask(play: Play, url: str, *, accept: str | None = None, expected: Any = None) -> Reply:
    """GET something of the server under test, as a reverse proxy hands it on."""
    base = play.world.server.base_url
    path = url.removeprefix(base)
    if not path.startswith("/"):
        raise Unknown("address of the server under test", url)
    headers = {"Host": base.split("//")[1]} | ({"Accept": accept} if accept else {})
    said = await play.world.get(path, headers)
    reply = Reply(play.step, said.status, said.body, said.headers, None if expected is None else str(expected), url)
    play.replies.append(reply)
    return reply


# What people here do, in words


@LOCAL.on(r"(?:post|posts)(?: an?)?(?: (public|unlisted|followers|direct))?(?: note)?(?: (\d+))?")
async def a_note(play: Play, audience: str | None, number: str | None) -> None:
    found = await verbs.post(play.world, play.notes["as"], f"note {number or ''}".strip(), audience or "public")
    play.notes.setdefault("posts", []).append(found)
    play.on.placeholders[f"note{number or ''}"] = found.uri


@LOCAL.on(r"(\S+\.test) is down")
async def is_down(play: Play, host: str) -> None:
    await play.sites[host].stop()


@LOCAL.on(r"rotates? (?:the |her )?keys?")
async def rotate(play: Play) -> None:
    await verbs.rotate_keys(play.world, play.notes["as"])


@LOCAL.on(r"deletes? (?:the |her )?(?:note|post)")
async def delete(play: Play) -> None:
    await verbs.delete(play.world, play.notes["as"], play.notes["posts"][-1].uri)


@LOCAL.on(r"edits? (?:the |her )?(?:note|post)(?: to [`'\"](.*)[`'\"])?")
async def edit(play: Play, text: str | None) -> None:
    await verbs.edit(play.world, play.notes["as"], play.notes["posts"][-1].uri, text or "edited")


@LOCAL.on(r"(follow|unfollow|block)s? (\w+)(?:@\S+)?")
async def toward(play: Play, what: str, name: str) -> None:
    whom = play.on.ours.get(name) or await play.world.learnt(play.on.named(name))
    await getattr(verbs, what)(play.world, play.notes["as"], whom)


@LOCAL.on(r"(like|boost|pin)s? (https://\S+)")
async def on_a_post(play: Play, what: str, uri: str) -> None:
    await getattr(verbs, what)(play.world, play.notes["as"], uri)


@LOCAL.on(r"(alice|bob|night) (.+)")
async def somebody(play: Play, name: str, what: str) -> None:
    """`alice likes …`, as a step in words."""
    play.notes["as"] = play.on.ours[name]
    for _, act in LOCAL.read(what):
        await act(play)
