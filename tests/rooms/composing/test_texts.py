"""From what was typed to what is kept and sent: formats, people who cannot be found just now, edits."""

from typing import Any

import pytest
from sqlalchemy import select

from fakes.world import World
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing import name_later, text
from privapub.composing.compose import edit_post, write_post
from privapub.composing.profile import edit_profile
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.jobs.tables import job
from privapub.personas import read as personas
from privapub.posts.polls import NewPoll
from privapub.posts.read import Post, by_id, recipient_ids
from privapub.posts.tables import post as posts
from privapub.posts.tables import post_tag


async def again(world: World, post: Post) -> Post:
    async with world.database.read() as tx:
        found = await by_id(tx, post.id)
    assert found is not None
    return found


async def keys_of_tags(world: World, post: Post) -> list[str]:
    async with world.database.read() as tx:
        rows = await tx.all(select(post_tag.c.tag).where(post_tag.c.post_id == post.id).order_by(post_tag.c.tag))
    return [row.tag for row in rows]


async def waiting(world: World) -> list[Any]:
    async with world.database.read() as tx:
        return list(await tx.all(select(job.c.state).where(job.c.kind == name_later.NAME_LATER)))


async def named(world: World, post: Post) -> tuple[int, ...]:
    async with world.database.read() as tx:
        return (await recipient_ids(tx, [post.id]))[post.id]


async def somebody_who_does_not_answer(world: World) -> tuple[Actor, Post]:
    """A post of alice that names dora, whose server is in trouble, and bob."""
    alice = await world.persona()
    await world.persona("bob")
    world.serve_jrd("dora@peer.test", "https://peer.test/u/dora", status=503)
    return alice, await write_post(world.server, alice.id, "@dora@peer.test and @bob", "public")


async def test_a_text_is_plain_unless_its_persona_or_the_post_says_otherwise(world: World) -> None:
    alice = await world.persona()
    plain = await write_post(world.server, alice.id, "*a*", "public")
    assert (plain.text_format, plain.content) == ("plain", "<p>*a*</p>")
    typed = await write_post(world.server, alice.id, "*a*", "public", text_format="markdown")
    assert (typed.text_format, typed.content) == ("markdown", "<p><em>a</em></p>")
    await edit_profile(world.server, alice.id, text_format="markdown")
    liked = await write_post(world.server, alice.id, "*a*", "public")
    assert liked.text_format == "markdown"
    edited = await edit_post(world.server, alice.id, liked.id, "*b*")
    assert edited.content == "<p><em>b</em></p>"
    edited = await edit_post(world.server, alice.id, liked.id, "*b*", text_format="plain")
    assert (edited.text_format, edited.content) == ("plain", "<p>*b*</p>")


async def test_hashtags_are_kept_by_their_key_and_follow_edits(world: World) -> None:
    alice = await world.persona()
    post = await write_post(world.server, alice.id, "#Berlin and #BERLIN, #köln", "public")
    assert await keys_of_tags(world, post) == ["berlin", "köln"]
    await edit_post(world.server, alice.id, post.id, "#hamburg")
    assert await keys_of_tags(world, post) == ["hamburg"]


async def test_who_does_not_answer_now_is_named_later(world: World) -> None:
    alice, post = await somebody_who_does_not_answer(world)
    assert ("u-url mention" in post.content, "@dora@peer.test" in post.content) == (True, True)
    assert len(await named(world, post)) == 1
    world.person("https://peer.test/u/dora")
    clock.advance(3600)  # a failure is remembered for a while
    await world.drain()
    later = await again(world, post)
    assert later.content.count("u-url mention") == 2
    assert later.edited_at is not None
    assert len(await named(world, post)) == 2
    # Not hers before she was named: the edit brings it.
    sent = [activity for activity in world.sent() if activity["type"] in ("Create", "Update")]
    assert [activity["type"] for activity in sent] == ["Update"]
    assert {tag["name"] for tag in sent[0]["object"]["tag"]} == {"@dora@peer.test", "@bob@sut.test"}
    assert alice.uri == sent[0]["actor"]


async def test_who_never_answers_stays_text(world: World) -> None:
    _, post = await somebody_who_does_not_answer(world)
    for _ in range(name_later.ATTEMPTS):
        clock.advance(10_000)
        await world.drain()
    assert [row.state for row in await waiting(world)] == ["done"]
    assert (await again(world, post)).edited_at is None


async def test_an_edit_meanwhile_is_not_undone(world: World) -> None:
    alice, post = await somebody_who_does_not_answer(world)
    await edit_post(world.server, alice.id, post.id, "nobody")
    world.person("https://peer.test/u/dora")
    clock.advance(120)
    await world.drain()
    assert (await again(world, post)).content == "<p>nobody</p>"


async def test_who_is_not_there_is_not_asked_for_again(world: World) -> None:
    alice = await world.persona()
    await write_post(world.server, alice.id, "@nobody@peer.test", "public")
    assert await waiting(world) == []


async def test_whoever_writes_does_not_wait_for_ever(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = await world.persona()
    monkeypatch.setattr(text, "PATIENCE", 0.0)
    post = await write_post(world.server, alice.id, "@dora@peer.test", "public")
    assert post.content == "<p>@dora@peer.test</p>"
    assert len(await waiting(world)) == 1


async def test_a_text_that_names_too_many_is_refused(world: World) -> None:
    alice = await world.persona()
    with pytest.raises(NotAllowed):
        await write_post(world.server, alice.id, " ".join(f"@a{number}@peer.test" for number in range(51)), "public")


async def test_an_edit_keeps_the_rest(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    carol = await world.learnt(world.person("https://peer.test/u/carol"))
    post = await write_post(world.server, alice.id, "one\ntwo @bob", "direct", summary="x", language="de")
    pictures = [{"type": "Image", "url": "https://sut.test/1.png", "alt": "a hill"}, {"type": "Image", "url": "b"}]
    async with world.database.write() as tx:
        await tx.execute(posts.update().where(posts.c.id == post.id).values(attachments=pictures, license="CC0-1.0"))
    await world.drain()
    edited = await edit_post(world.server, alice.id, post.id, "three @carol@peer.test")
    await world.drain()
    assert edited.source == "three @carol@peer.test"
    assert (edited.summary, edited.language, edited.audience, edited.license) == ("x", "de", "direct", "CC0-1.0")
    assert [dict(each) for each in edited.attachments] == pictures
    assert await named(world, post) == tuple(sorted((bob.id, carol.id)))
    (update,) = world.sent()
    assert (update["type"], update["object"]["to"]) == ("Update", [carol.uri])


async def test_a_poll_is_checked_before_anybody_is_asked(world: World) -> None:
    alice = await world.persona()
    with pytest.raises(InvalidInput):
        await write_post(world.server, alice.id, "@dora@peer.test", "public", poll=NewPoll(("a",)))
    assert world.peer.received == []


async def test_a_profile_is_shown_as_html(world: World) -> None:
    alice = await world.persona()
    edited = await edit_profile(
        world.server,
        alice.id,
        name="Al",
        bio="*hi* #there",
        locked=True,
        fields={"Site": "https://alice.example/", "Likes": "a <b>"},
        text_format="markdown",
    )
    assert (edited.bio, edited.text_format, edited.actor.locked) == ("*hi* #there", "markdown", True)
    assert edited.actor.summary.startswith("<p><em>hi</em> <a ")
    site, likes = edited.actor.fields
    assert site["value"].startswith('<a href="https://alice.example/"')
    assert dict(likes) == {"name": "Likes", "value": "a &lt;b&gt;"}
    kept = await edit_profile(world.server, alice.id, discoverable=True)
    assert (kept.actor.summary, kept.actor.fields) == (edited.actor.summary, edited.actor.fields)


async def test_a_profile_that_cannot_be(world: World) -> None:
    alice = await world.persona()
    for fields in ({str(number): "x" for number in range(9)}, {" ": "x"}, {"x" * 256: "x"}, {"x": "x" * 5001}):
        with pytest.raises(InvalidInput):
            await edit_profile(world.server, alice.id, fields=fields)
    with pytest.raises(InvalidInput):
        await edit_profile(world.server, alice.id, bio="x" * 5001)
    with pytest.raises(NotFound):
        await edit_profile(world.server, 1, name="x")
    async with world.database.read() as tx:
        me = await personas.by_id(tx, alice.id)
    assert me is not None
    assert me.actor.updated_at is None
