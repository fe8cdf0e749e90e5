"""Relations by the API: follows, blocks, mutes, notes, requests, whole servers."""

from makers import at_home, facts, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors.blocks import keep
from privapub.client_api.routes import ENDPOINTS
from privapub.database.connect import Database
from privapub.follows import read as follows
from privapub.personas.edit import edit
from program import town

NOTHING = {
    "following": False, "showing_reblogs": False, "notifying": False, "languages": None, "followed_by": False,
    "blocking": False, "blocked_by": False, "muting": False, "muting_notifications": False, "muting_expires_at": None,
    "requested": False, "requested_by": False, "domain_blocking": False, "endorsed": False, "note": "",
}  # fmt: skip


async def test_strangers_have_nothing_between_them_and_order_is_kept(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            one, other = await make_remote(tx, "carol@peer.test"), await make_remote(tx, "dan@peer.test")
        asked = f"/api/v1/accounts/relationships?id[]={other.id}&id[]={one.id}&id[]=77&id[]=x"
        assert await app.get(asked) == [{"id": str(each.id), **NOTHING} for each in (other, one)]


async def test_a_follow_elsewhere_is_asked_for_and_taken_back(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        wanted = {"reblogs": False, "notify": True, "languages": ["de", "en"]}
        asked = await app.told("POST", f"/api/v1/accounts/{carol.id}/follow", wanted)
        assert (asked["requested"], asked["following"], asked["showing_reblogs"]) == (True, False, False)
        assert (asked["notifying"], asked["languages"]) == (True, ["de", "en"])
        again = await app.told("POST", f"/api/v1/accounts/{carol.id}/follow", {"reblogs": "true"}, form=True)
        assert (again["showing_reblogs"], again["notifying"]) == (True, True)
        async with database.read() as tx:
            assert len(await facts(tx, "follow_asked")) == 1
        gone = await app.told("POST", f"/api/v1/accounts/{carol.id}/unfollow")
        async with database.read() as tx:
            assert len(await facts(tx, "follow_withdrawn")) == 1
            assert await follows.between(tx, alice.id, carol.id) is None
    assert gone == {"id": str(carol.id), **NOTHING}


async def test_blocks_end_follows_and_are_listed(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        async with database.write() as tx:
            await make_follow(tx, alice.id, bob.id)
            await make_follow(tx, bob.id, alice.id)
        between = await app.told("POST", f"/api/v1/accounts/{bob.id}/block")
        assert (between["blocking"], between["following"], between["followed_by"]) == (True, False, False)
        (theirs,) = await other.get(f"/api/v1/accounts/relationships?id[]={alice.id}")
        assert (theirs["blocked_by"], theirs["blocking"]) == (True, False)
        assert (await other.refused("POST", f"/api/v1/accounts/{alice.id}/follow"))[0] == 403
        assert [each["id"] for each in await app.get("/api/v1/blocks")] == [str(bob.id)]
        assert (await app.told("POST", f"/api/v1/accounts/{bob.id}/unblock"))["blocking"] is False
        assert await app.get("/api/v1/blocks") == []


async def test_a_mute_ends_when_it_was_said_to(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        for_good = await app.told("POST", f"/api/v1/accounts/{carol.id}/mute", {"notifications": False})
        assert (for_good["muting"], for_good["muting_notifications"], for_good["muting_expires_at"]) == (
            True,
            False,
            None,
        )
        a_while = await app.told("POST", f"/api/v1/accounts/{carol.id}/mute", {"duration": 3600})
        assert a_while["muting_notifications"] is True
        (listed,) = await app.get("/api/v1/mutes")
        assert listed["mute_expires_at"] == a_while["muting_expires_at"] is not None
        assert (await app.told("POST", f"/api/v1/accounts/{carol.id}/unmute"))["muting"] is False


async def test_notes_are_the_own_ones(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        bob, other = await sut.program("bob")
        noted = await app.told("POST", f"/api/v1/accounts/{bob.id}/note", {"comment": "met in Bern"})
        assert noted["note"] == "met in Bern"
        (theirs,) = await other.get(f"/api/v1/accounts/relationships?id[]={bob.id}")
        assert theirs["note"] == ""
        assert (await app.told("POST", f"/api/v1/accounts/{bob.id}/note"))["note"] == ""
        long = await app.refused("POST", f"/api/v1/accounts/{bob.id}/note", {"comment": "x" * 2001})
        assert long[0] == 422


async def test_who_asks_is_answered(database: Database) -> None:
    async with town(database) as sut:
        async with database.write() as tx:
            locked = await make_persona(tx, "alice", locked=True)
            carol, dan = await make_remote(tx, "carol@peer.test"), await make_remote(tx, "dan@peer.test")
            for each in (carol, dan):
                await make_follow(tx, each.id, locked.id, "pending")
        app = await sut.another(locked)
        assert [each["acct"] for each in await app.get("/api/v1/follow_requests")] == [
            "dan@peer.test",
            "carol@peer.test",
        ]
        first = await app.ask("GET", "/api/v1/follow_requests?limit=1")
        assert 'rel="next"' in first.headers["link"]
        accepted = await app.told("POST", f"/api/v1/follow_requests/{carol.id}/authorize")
        assert (accepted["followed_by"], accepted["requested_by"]) == (True, False)
        await app.told("POST", f"/api/v1/follow_requests/{dan.id}/reject")
        assert await app.get("/api/v1/follow_requests") == []
        again = await app.refused("POST", f"/api/v1/follow_requests/{dan.id}/authorize")
        assert again == (404, "Record not found")
        removed = await app.told("POST", f"/api/v1/accounts/{carol.id}/remove_from_followers")
        assert removed["followed_by"] is False
        async with database.read() as tx:
            assert [each["accepted"] for each in await facts(tx, "follow_answered")] == [True, False, False]


async def test_a_blocked_domain_is_neither_read_nor_followed(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dan = await make_remote(tx, "carol@peer.test"), await make_remote(tx, "dan@elsewhere.test")
            await make_follow(tx, alice.id, carol.id)
            await make_follow(tx, carol.id, alice.id)
            await make_post(tx, carol.id)
            await make_post(tx, dan.id)
        public = "/api/v1/accounts/relationships"
        assert await app.told("POST", "/api/v1/domain_blocks", {"domain": "Peer.test"}) == {}
        assert await app.get("/api/v1/domain_blocks") == ["peer.test"]
        (between,) = await app.get(f"{public}?id[]={carol.id}")
        assert (between["domain_blocking"], between["following"], between["followed_by"]) == (True, False, False)
        assert (await app.refused("POST", f"/api/v1/accounts/{carol.id}/follow"))[0] == 403
        async with database.read() as tx:
            assert await at_home(tx, alice.id) == []
            assert len(await facts(tx, "follow_withdrawn")) == 1
            assert [each["accepted"] for each in await facts(tx, "follow_answered")] == [True, False]
        ours = await app.refused("POST", "/api/v1/domain_blocks", {"domain": "sut.test"})
        assert ours[0] == 422
        assert (await app.refused("POST", "/api/v1/domain_blocks", {"domain": "no domain"}))[0] == 422
        assert await app.told("DELETE", "/api/v1/domain_blocks?domain=peer.test") == {}
        assert await app.get("/api/v1/domain_blocks") == []
        assert (await app.told("POST", f"/api/v1/accounts/{carol.id}/follow"))["requested"] is True


async def test_who_is_endorsed_is_named_while_followed(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
        refused = await app.refused("POST", f"/api/v1/accounts/{carol.id}/endorse")
        assert refused[0] == 422
        assert "already following" in refused[1]
        async with database.write() as tx:
            await make_follow(tx, alice.id, carol.id)
        assert (await app.told("POST", f"/api/v1/accounts/{carol.id}/endorse"))["endorsed"] is True
        assert [each["id"] for each in await app.get("/api/v1/endorsements")] == [str(carol.id)]
        assert [each["id"] for each in await sut.stranger.get(f"/api/v1/accounts/{alice.id}/endorsements")] == [
            str(carol.id)
        ]
        assert (await app.told("POST", f"/api/v1/accounts/{carol.id}/unendorse"))["endorsed"] is False
        assert await app.get("/api/v1/endorsements") == []


async def test_familiar_followers_are_those_one_follows_and_who_show_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol, dan = await make_remote(tx, "carol@peer.test"), await make_persona(tx, "dan")
            hidden = await make_persona(tx, "eve")
            await edit(tx, dan.id, shows_follows=True, now=clock.now())
            for each in (carol.id, hidden.id):
                await make_follow(tx, alice.id, each)
                await make_follow(tx, each, dan.id)
        (found,) = await app.get(f"/api/v1/accounts/familiar_followers?id[]={dan.id}")
    assert (found["id"], [each["acct"] for each in found["accounts"]]) == (str(dan.id), ["carol@peer.test"])


async def test_familiar_followers_tell_nothing_of_who_hides_them_or_blocks(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx, "carol@peer.test")
            hides, blocks = await make_persona(tx, "dan"), await make_persona(tx, "eve")
            await make_follow(tx, alice.id, carol.id)
            for each in (hides.id, blocks.id):
                await make_follow(tx, carol.id, each)
            await edit(tx, hides.id, shows_follows=False, now=clock.now())
            await edit(tx, blocks.id, shows_follows=True, now=clock.now())
            await keep(tx, blocks.id, alice.id, "https://sut.test/block", clock.now())
        found = await app.get(f"/api/v1/accounts/familiar_followers?id[]={hides.id}&id[]={blocks.id}")
    assert [each["accounts"] for each in found] == [[], []]


async def test_strangers_and_narrow_tokens_are_refused_everywhere(database: Database) -> None:
    async with town(database) as sut:
        _, narrow = await sut.program("alice", "profile")
        for each in ENDPOINTS:
            if each.who != "user" or each.scopes == () or "profile" in each.scopes:
                continue
            path = each.path.replace("{id}", "1").replace("{account_id}", "1").replace("{name}", "x")
            assert (await sut.stranger.ask(each.method, path)).status == 401, path
            assert (await narrow.ask(each.method, path)).status == 403, path


async def test_nobody_is_nobody(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        for what in ("follow", "unfollow", "block", "unblock", "mute", "unmute", "note", "endorse", "unendorse"):
            for number in ("77", "x", "9" * 30):
                told = await app.refused("POST", f"/api/v1/accounts/{number}/{what}")
                assert told == (404, "Record not found"), what
