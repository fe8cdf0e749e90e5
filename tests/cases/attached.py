"""What the cases say of pictures, films and emojis from elsewhere, and of who may attach what was uploaded here."""

import io
import json
import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from PIL import Image
from sqlalchemy import select

from cases import clients, files, verbs
from cases.clients import File
from cases.given import DO
from cases.on_answers import STATUSES, choices
from cases.on_state import shown, the_post
from cases.on_text import read
from cases.pages import page, quoted
from cases.play import MUST, MUST_NOT, Play
from cases.setup import SETUP
from cases.stage import allowed, exact
from cases.steps import THING
from cases.uploads import FORMATS, from_here, served
from cases.words import Unknown
from fakes.activities import create, note, post_at
from makers import at_home
from privapub import clock
from privapub.jobs.tables import job
from privapub.markup.text import text_of
from privapub.proxy.prefetch import REMOTE_FILE, use_of

PICTURE = 8  # pixels of a side of a picture of which nothing matters
DAY = 86400.0


def _given(play: Play) -> list[dict[str, Any]]:
    """The attachments that the post brings which can be meant: those with an address."""
    found = play.activity["object"].get("attachment", [])
    return [each for each in found if urlsplit(urljoin(play.activity["object"]["id"], each["url"])).scheme == "https"]


async def _addresses(play: Play) -> list[str]:
    """Of the post as it is held, in order."""
    return [str(each["url"]) for each in (await the_post(play)).attachments]


def _absolute(play: Play, url: str) -> str:
    return urljoin(play.activity["object"]["id"], url)


@MUST.on(r"post visible at once with all usable attachments in order")
async def in_order(play: Play) -> None:
    """Before anything of them was asked for."""
    assert await shown(play, play.activity["object"]["id"])
    found = await _addresses(play)
    wanted = [each["url"] for each in _given(play)]
    usable = [url for url in wanted if urlsplit(url).scheme]
    assert [url for url in found if url in usable] == usable
    assert set(found) <= {_absolute(play, url) for url in wanted}
    told = await quoted(play)
    links = [given["href"] for given in told.all("a") if given.get("href") in found]
    assert links == found


@MUST.on(r"(\S+) is dropped or resolved against the note id")
async def resolved(play: Play, name: str) -> None:
    (given,) = [each["url"] for each in _given(play) if each["url"].endswith(name)]
    for url in await _addresses(play):
        assert not url.endswith(name) or url == _absolute(play, given)


@MUST.on(r"unfetchable ones: type unknown \(or by declared type\), remote_url set, description kept")
async def offered(play: Play) -> None:
    """To programs, and on the page: all of them have their words and their addresses."""
    await _linked(play, {"unknown", "by declared type"})


@MUST.on(r"attachment is offered as a link \(type unknown, remote_url set\)")
async def offered_unknown(play: Play) -> None:
    await _linked(play, {"unknown"})


async def _linked(play: Play, may_be: set[str]) -> None:
    post = await the_post(play)
    held = {str(each["url"]): each for each in post.attachments}
    number = await clients.number_of(play.world, play.on.alice, post.uri)
    shown_to_programs = (await clients.get(play.world, play.on.alice, f"/api/v1/statuses/{number}"))[
        "media_attachments"
    ]
    told = await quoted(play)
    links = [given.get("href") for given in told.all("a")]
    for each in _given(play):
        if not urlsplit(each["url"]).scheme:
            continue
        one = held[each["url"]]
        assert one["media_type"] == each.get("mediaType", "")
        assert each["url"] in links, f"{each['url']} is no link"
        assert each.get("name", "") in told.text
        (file,) = [file for file in shown_to_programs if file["remote_url"] == each["url"]]
        declared = {"image": "image", "video": "video", "audio": "audio"}.get(
            each.get("mediaType", "image").split("/")[0]
        )
        assert file["type"] in {declared if name == "by declared type" else name for name in may_be}, file
        assert (file["description"] or "") == each.get("name", "")
        assert file["type"] != "unknown" or file["url"] == each["url"]


@MUST.on(r"a placeholder, not a broken local path")
@MUST_NOT.on(r"a local URL that answers 404")
async def nothing_broken(play: Play) -> None:
    told = await quoted(play)
    base = play.world.server.base_url
    for url in told.loads:
        assert url.startswith((base, "/")), f"{url} is not ours"
        assert (await served(play, url))[0] != 404, url
    await later_on(play)
    for attachment in (await the_post(play)).attachments:
        status, headers, data = await from_here(play, use_of(attachment), str(attachment["url"]))
        assert status >= 400, f"{attachment['url']} could be fetched"
        with Image.open(io.BytesIO(data)) as picture:
            assert FORMATS[str(picture.format)] == headers["content-type"]


async def later_on(play: Play) -> None:
    """Whatever was to be fetched at no reader's moment has been asked for, and asked for again."""
    for _ in range(4):
        clock.advance(DAY)
        await play.drain()


@MUST_NOT.on(r"cut media cached as complete")
async def not_cut(play: Play) -> None:
    """It was asked for, and nothing of it is kept, as it came or otherwise."""
    await later_on(play)
    broken = [stub["url"] for stub in play.given["serve"] if "behaviour" in stub]
    assert broken
    for url in broken:
        assert [each for each in play.received(method="GET") if url.endswith(each.path)], f"{url} was not asked for"
        assert (await from_here(play, "picture", url))[0] != 200, url
    assert [path for path in play.world.server.settings.cache_folder.rglob("*") if path.is_file()] == []


@MUST.on(r"note with text is shown")
async def with_text(play: Play) -> None:
    said = text_of(play.activity["object"]["content"])
    assert said in text_of((await the_post(play)).content)
    assert said in (await quoted(play)).text


@MUST_NOT.on(r"drop the remote post or retry its job for ever")
async def ends(play: Play) -> None:
    """A month later nothing of it waits, and the post is still there."""
    if "activities" not in play.notes:
        return
    for each in _given(play):
        picture = files.png(each["width"], each["height"], rows=1)
        play.world.serve(each["url"], picture, content_type=each["mediaType"])
    await later_on(play)
    async with play.world.database.read() as tx:
        waits = await tx.all(select(job.c.why).where(job.c.kind == REMOTE_FILE, job.c.state == "waiting"))
    assert not waits
    for each in _given(play):
        assert [one for one in play.received(method="GET") if each["url"].endswith(one.path)], "it was not asked for"
        assert (await from_here(play, "picture", each["url"]))[0] != 200
    assert await shown(play, play.activity["object"]["id"])


# Emojis


@SETUP.on(r"local emoji :(\w+): exists")
async def local_emoji(play: Play, shortcode: str) -> None:
    found = await verbs.add_emoji(play.world, shortcode, files.png(PICTURE, PICTURE))
    play.notes["emoji"] = (shortcode, f"{play.world.server.base_url}/media/{found.file}")


@DO.on(r"remote Emoji icon of type (\S+) with the ([\w-]+) bytes")
async def remote_emoji(play: Play, kind: str, name: str) -> None:
    """Carol's post has it, and is read."""
    (given,) = [each["file_b64"] for each in play.case.given["variants"] if each.get("name") == name]
    play.notes["upload"], play.notes["connected"] = exact(given), []
    carol, url = play.on.named("carol"), "https://peer.test/e/odd"
    play.world.serve(url, play.notes["upload"], content_type=kind)
    icon = {"type": "Image", "mediaType": kind, "url": url}
    written = note(carol, content="<p>:odd:</p>", cc=[play.on.alice.uri])
    written["tag"] = [{"type": "Emoji", "id": f"{url}/id", "name": ":odd:", "icon": icon}]
    activity = create(carol, written)
    play.notes.setdefault("activities", []).append(activity)
    answer = await play.world.post(play.on.alice.inbox, activity, by=carol)
    assert answer.status == 202
    await later_on(play)
    assert play.world.asked(urlsplit(url).path), "it was not asked for"
    pages = [await served(play, each) for each in (await quoted(play)).loads if "/static/" not in each]
    for _, headers, data in (*pages, await from_here(play, "emoji", url)):
        assert headers["content-type"] in FORMATS.values()
        assert headers["x-content-type-options"] == "nosniff"
        assert not [each for each in files.words_in(play.notes["upload"]) if each in data]


@MUST.on(r"emoji key is \(shortcode, author's host\)")
async def keyed(play: Play) -> None:
    """Ours is in what we write, and in nothing that others do."""
    shortcode, picture = play.notes["emoji"]
    ours = await verbs.post(play.world, play.on.alice, f":{shortcode}:")
    assert picture in (await page(play, ours.uri)).loads
    await not_ours(play)


@MUST_NOT.on(r"use the local image for a remote shortcode")
async def not_ours(play: Play) -> None:
    _, picture = play.notes["emoji"]
    assert picture not in (await quoted(play)).loads


@MUST.on(r"([\w-]+) shows (\S+\.test)'s image")
async def theirs(play: Play, name: str, host: str) -> None:
    """The address that their post names is fetched from there, and what came from there is shown."""
    if play.name != name:
        return
    tag, (_, ours) = play.given["tag"], play.notes["emoji"]
    (url,) = [str(each["href"]) for each in (await the_post(play)).tags if each["name"] == tag["name"]]
    assert url == tag["icon"]["url"]
    assert urlsplit(url).hostname == host
    picture = io.BytesIO()
    Image.new("RGB", (PICTURE, PICTURE), "white").save(picture, "PNG")
    play.world.serve(url, picture.getvalue(), content_type="image/png")
    await later_on(play)
    for served_at in (await served(play, ours), await from_here(play, "emoji", url)):
        status, _, data = served_at
        assert status == 200
        with Image.open(io.BytesIO(data)) as shown_there:
            play.notes.setdefault("colours", []).append(shown_there.convert("RGB").getpixel((0, 0)))
    assert play.notes["colours"] == [(0, 0, 0), (255, 255, 255)]


@MUST.on(r"text stays")
async def text_stays(play: Play) -> None:
    said = text_of(play.activity["object"]["content"])
    assert text_of((await the_post(play)).content) == said
    assert said in (await quoted(play)).text


@MUST.on(r"the note is stored")
@MUST_NOT.on(r"lose the note")
async def is_stored(play: Play) -> None:
    assert await post_at(play.world, play.activity["object"]["id"]) is not None


@MUST.on(r"href unchanged")
async def href(play: Play) -> None:
    wanted = read(play.activity["object"]["content"]).links
    assert wanted
    assert read((await the_post(play)).content).links == wanted
    assert set(wanted) <= {given.get("href") for given in (await quoted(play)).all("a")}


# Uploads in posts


async def _uploaded(play: Play, name: str) -> int:
    """The number of an upload of somebody here, which is ready."""
    by = play.on.ours[name]
    file = File(files.png(PICTURE, PICTURE), "picture.png", "image/png")
    made = await verbs.processed(play.world, by, await verbs.upload(play.world, by, file))
    assert made.medium is not None
    assert made.status == 200, made.why
    return made.medium.id


@THING.on(r"id of (\w+)'s unattached upload", r"(\w+) media")
async def unattached(play: Play, name: str) -> None:
    play.notes["thing"] = await _uploaded(play, name)


@THING.on(r"media uploaded as persona 1")
async def of_the_first(play: Play) -> None:
    play.notes["thing"] = await _uploaded(play, "alice")


@THING.on(r"id of (\w+)'s media already in (note\d*)")
async def in_a_note(play: Play, name: str, _note: str) -> None:
    number = play.notes["thing"] = await _uploaded(play, name)
    await verbs.post(play.world, play.on.ours[name], "with it", files=[number])


@THING.on(r"id of a status")
async def of_a_status(play: Play) -> None:
    play.notes["thing"] = (await verbs.post(play.world, play.on.alice, "no medium")).id


@MUST.on(rf"(\d+(?:, \d+)*): {STATUSES}")
async def at_steps(play: Play, steps: str, said: str) -> None:
    for step in map(int, steps.split(", ")):
        found = [reply.status for reply in play.replies if reply.step == step]
        if not found:
            raise Unknown("step", step)
        assert all(allowed(status, choices(said)) for status in found), f"step {step} was answered {found}"


@MUST.on(r"(\d+): (\d{3}), or a re-upload under a new URL - one media URL never appears at two personas")
async def apart(play: Play, step: str, said: str) -> None:
    await at_steps(play, step, f"2xx or {said}")
    whose: dict[str, int] = {}
    for name in play.on.ours:
        for post in await verbs.newest(play.world, play.on.ours[name], 100):
            for url in re.findall(r"https://[^\"]+", json.dumps([dict(each) for each in post.attachments])):
                assert whose.setdefault(url, post.author_id) == post.author_id, url
    assert whose, "nobody has any"


@MUST.on(r"timelines still render")
@MUST_NOT.on(r"a post that crashes its readers' timelines")
async def timelines(play: Play) -> None:
    """At home, and on the pages of all who write here."""
    for ours in play.on.ours.values():
        async with play.world.database.read() as tx:
            home = await at_home(tx, ours.id, 100)
        await page(play, ours.url or "")
        assert home or ours.uri != play.on.alice.uri, "there is nothing to render"
    for post in await verbs.newest(play.world, play.on.alice, 100):
        await page(play, post.uri)
