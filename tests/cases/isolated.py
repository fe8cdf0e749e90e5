"""What the cases say of strings from elsewhere that turn the direction of a text: on our pages they stay apart."""

import unicodedata
from typing import Any

from cases import clients, verbs, woken
from cases.given import VARIANT
from cases.pages import Page, bare, quoted, spilling
from cases.play import MUST, MUST_NOT, Play
from cases.setup import follows
from cases.words import Unknown
from fakes.activities import create, note, of
from fakes.world import PUBLIC, Person
from makers import at_home
from privapub.markup.characters import contained
from privapub.markup.text import text_of

# Joiners and marks that these scripts and emojis need.
NEEDED = "لا\u200cمی\u200cخواهم 👩\u200d👩\u200d👧 ש\u05c1\u200fלום"  # noqa: RUF001 - these scripts are what is meant
HEBREW = "שלום לכולם, ראו https://peer.test/about ואת @carol בעיר"
ATTRIBUTES = ("alt", "title", "aria-label", "content", "placeholder")


def _served(play: Play) -> Person:
    """Whom the case serves: somebody with a name of this kind."""
    (stub,) = play.given["serve"]
    return play.on.people[stub["url"]]


async def _brought(play: Play, them: Person, string: str, **changes: Any) -> None:
    """A post of theirs comes to alice, with the string in it, and among others what must stay as it is."""
    written = note(them, f"https://{them.host}/n/strange", cc=[play.on.alice.uri])
    written["content"] = changes.pop("content", f"<p>{NEEDED}</p>")
    activity = create(them, {**written, **changes})
    play.notes.setdefault("activities", []).append(activity)
    await follows(play, "alice", them.handle)
    await woken.listens(play, play.on.alice)
    await woken.hears_of(play, play.on.alice, await play.world.learnt(them))
    assert (await play.world.post(play.on.alice.inbox, activity, by=them)).status == 202
    await play.drain()
    play.notes["string"] = string


@VARIANT.on(r"display name '(.+?)'(?: in '(\w+) boosted your post')?")
async def display_name(play: Play, name: str, boosts: str | None) -> None:
    them = _served(play)
    if them.changes["name"] != name:
        them.changes["name"] = name
        play.world.serve_person(them)
    await _brought(play, them, name)
    if boosts:
        own = await verbs.post(play.world, play.on.alice, "mine")
        boost = {**of("Announce", them, own.uri, f"{them.uri}/boosts/1"), "to": [PUBLIC]}
        assert (await play.world.post(play.on.alice.inbox, boost, by=them)).status == 202
        await play.drain()
        assert them.uri in await verbs.boosts(play.world, own.uri)


@VARIANT.on(r"poll option ending with (.+)")
async def poll_option(play: Play, end: str) -> None:
    option = f"yes{end}"
    options = [
        {"type": "Note", "name": name, "replies": {"type": "Collection", "totalItems": 1}} for name in (option, "no")
    ]
    await _brought(play, _served(play), option, type="Question", oneOf=options)


@VARIANT.on(r"filename '(.+)' as attachment name")
async def attachment_name(play: Play, name: str) -> None:
    file = {"type": "Document", "mediaType": "image/png", "url": "https://peer.test/m/1.png", "name": name}
    await _brought(play, _served(play), name, attachment=[file])


@VARIANT.on(r"hashtag '#(.+)'")
async def hashtag(play: Play, name: str) -> None:
    page = "https://peer.test/tags/x"
    said = f'<p><a href="{page}" class="mention hashtag" rel="tag">#{name}</a> {NEEDED}</p>'
    tag = {"type": "Hashtag", "name": f"#{name}", "href": page}
    await _brought(play, _served(play), f"#{name}", content=said, tag=[tag])


@VARIANT.on(r"Hebrew post with an English URL and @handle inside")
async def hebrew(play: Play) -> None:
    carol = play.on.named("carol")
    said = HEBREW.replace("https://peer.test/about", '<a href="https://peer.test/about">https://peer.test/about</a>')
    said = said.replace("@carol", f'<a href="{carol.uri}" class="mention">@carol</a>')
    tag = {"type": "Mention", "name": "@carol", "href": carol.uri}
    await _brought(play, _served(play), HEBREW, content=f"<p>{said}</p><p>{NEEDED}</p>", tag=[tag])


async def _page(play: Play) -> Page:
    if "string" not in play.notes:
        raise Unknown("string", "there was none")
    return await quoted(play)


@MUST.on(
    r"every remote string is isolated \(bdi, dir=auto, or FSI/PDI balanced\) in page, notification text, mail and push"
)
async def isolated(play: Play) -> None:
    await _on_page(play)
    await _in_alerts(play)
    assert (await play.on.state("letter"))["letter"] == [], "a letter may tell of it"


async def _in_alerts(play: Play) -> None:
    """The sentence keeps the name apart, and neither it nor what was written spills; what programs get does not."""
    alerts = woken.told(play)
    them = play.on.people[play.activity["actor"]]
    name = contained(them.changes.get("name", them.handle)).strip()
    assert alerts
    for alert in alerts:
        assert f"\u2068{name}\u2069" in alert["title"], alert["title"]
        assert not spilling(alert["title"])
        assert not spilling(alert["body"])
    for told in await clients.get(play.world, play.on.alice, "/api/v1/notifications"):
        assert not spilling(told["account"]["display_name"])
        assert "status" not in told or not spilling(text_of(told["status"]["content"]))


async def _on_page(play: Play) -> None:
    """The name of who wrote it, what it says, and the string itself: wherever it stands, an element keeps it apart."""
    told = await _page(play)
    strings = [bare(each).strip() for each in (play.notes["string"], _served(play).changes["name"], NEEDED)]
    for string in strings:
        words = set(string.split())
        held = [around for text, around in told.texts if words & set(text.split())]
        assert held, f"{string!r} is not shown"
        for around in held:
            apart = [tag for tag, given in around if tag == "bdi" or given.get("dir") == "auto"]
            assert apart, f"{string!r} stands in {[tag for tag, _ in around]}"
    await right_direction(play)
    who = await play.world.actor(_served(play).uri)
    assert who is not None
    assert not spilling(who.name)
    assert not spilling(text_of(who.summary))


@MUST.on(r"text after it reads in the right direction")
async def right_direction(play: Play) -> None:
    """Nothing on the page is left open: not within an element, and not in an attribute that is read aloud."""
    told = await _page(play)
    assert not [text for text, _ in told.texts if spilling(text)]
    for tag, given in told.elements:
        assert not [name for name in ATTRIBUTES if spilling(given.get(name, ""))], tag
    assert not spilling(told.title)


@MUST.on(r"legitimate RTL text stays RTL")
@MUST_NOT.on(r"strip all RTL letters or joiners \(breaks Arabic and emoji ZWJ\)")
async def stays(play: Play) -> None:
    """Every letter, mark and joiner that came is there, in the order in which it came."""
    told = await _page(play)
    assert NEEDED in told.text
    string = bare(play.notes["string"]).strip()
    assert string in told.text or string in "".join(told.text.split("\n"))
    assert any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in NEEDED)
    async with play.world.database.read() as tx:
        assert NEEDED in [text_of(post.content)[-len(NEEDED) :] for post in await at_home(tx, play.on.alice.id)]
