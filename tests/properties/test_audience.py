"""Recipients of a post are those who may see it: the promise that the whole house stands on."""

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from makers import at_home, make_follow, make_persona, make_post, make_remote
from privapub.database.connect import Database
from privapub.posts import audience
from privapub.posts.audience import OPEN, addressed, may_see
from privapub.posts.read import Post
from privapub.timelines.fill import fill

AUTHOR = 0
AUDIENCES = ("public", "unlisted", "followers", "circle", "direct")
STATES = ("none", "pending", "accepted", "rejected")


@dataclass(frozen=True)
class World:
    """Actors 0 (the author) to n, what each one's follow of the author is, whom the post names, and who is blocked."""

    post: Post
    follows: dict[int, str]
    named: frozenset[int]
    blocked: frozenset[int] = frozenset()

    @property
    def followers(self) -> frozenset[int]:
        return frozenset(actor for actor, state in self.follows.items() if state == "accepted")

    def sees(self, actor: int | None) -> bool:
        return may_see(
            self.post,
            actor,
            follows=actor in self.followers,
            named=actor in self.named,
            blocked=actor in self.blocked,
        )

    @property
    def reached(self) -> frozenset[int]:
        """Every actor that the recipients stand for: of the followers those whom no block parts from the author."""
        to = addressed(self.post, self.named, self.blocked)
        return frozenset(to.actor_ids) | (self.followers - self.blocked if to.followers else frozenset())


def post_for(whom: str, *, deleted: bool = False) -> Post:
    return Post(
        id=1, uri="https://sut.test/posts/1", activity_uri=None, author_id=AUTHOR, local=True, kind="Note",
        audience=whom, source="", content="", summary="", sensitive=False, language=None, url=None, in_reply_to=None,
        in_reply_to_id=None, tags=(), attachments=(), published_at=0.0, edited_at=None, received_at=0.0,
        deleted_at=1.0 if deleted else None,
    )  # fmt: skip


actors = st.integers(AUTHOR + 1, 12)
audiences = st.sampled_from(AUDIENCES) | st.text(max_size=12)
worlds = st.builds(
    World,
    post=audiences.map(post_for),
    follows=st.dictionaries(actors, st.sampled_from(STATES)),
    # An author may name itself.
    named=st.frozensets(st.integers(AUTHOR, 12)),
    blocked=st.frozensets(actors, max_size=6),
)


@given(worlds)
def test_who_receives_a_post_that_is_not_open_is_who_may_see_it(world: World) -> None:
    if world.post.audience in OPEN:
        return
    everybody = set(range(AUTHOR + 1, 13))
    assert world.reached == {actor for actor in everybody if world.sees(actor)}


@given(worlds)
def test_nobody_receives_what_they_may_not_see_and_no_author_their_own(world: World) -> None:
    assert all(world.sees(actor) for actor in world.reached)
    assert AUTHOR not in world.reached


@given(worlds)
def test_an_author_sees_its_post_and_a_stranger_only_what_is_open(world: World) -> None:
    assert world.sees(AUTHOR)
    assert world.sees(None) == (world.post.audience in OPEN)
    assert may_see(world.post, 99) == (world.post.audience in OPEN)


@given(worlds, st.none() | st.integers(AUTHOR, 12), st.booleans(), st.booleans())
def test_nobody_sees_what_a_blocked_server_wrote(world: World, viewer: int | None, follows: bool, named: bool) -> None:
    assert not may_see(world.post, viewer, follows=follows, named=named, hidden=True)


@given(worlds, st.none() | st.integers(AUTHOR, 12))
def test_nobody_sees_a_deleted_post(world: World, viewer: int | None) -> None:
    assert not replace(world, post=replace(world.post, deleted_at=1.0)).sees(viewer)


@given(worlds)
def test_naming_one_more_lets_in_that_one_alone(world: World) -> None:
    wider = replace(world, named=world.named | {7})
    for actor in range(AUTHOR, 13):
        assert wider.sees(actor) == (world.sees(actor) or (actor == 7 and 7 not in world.blocked))


@given(worlds, actors)
def test_a_block_takes_the_post_from_that_one_alone(world: World, other: int) -> None:
    parted = replace(world, blocked=world.blocked | {other})
    assert not parted.sees(other)
    assert parted.reached == world.reached - {other}
    assert parted.sees(None) == world.sees(None)


@given(st.text(max_size=12).filter(lambda word: word not in AUDIENCES))
def test_an_audience_that_is_not_understood_falls_to_the_private_side(word: str) -> None:
    post = post_for(word)
    assert not may_see(post, None)
    assert not may_see(post, 1, follows=True)
    assert not addressed(post, ()).followers


async def test_the_database_and_the_timelines_agree_for_every_tie_and_audience(database: Database) -> None:
    async with database.write() as tx:
        author = await make_persona(tx, "author", locked=True)
        ties: list[tuple[int, str, bool, bool]] = []
        for state in STATES:
            for named in (False, True):
                handle = f"{state}_{'named' if named else 'unnamed'}"
                persona, remote = await make_persona(tx, handle), await make_remote(tx, f"{handle}@peer.test")
                ties += [(persona.id, state, named, True), (remote.id, state, named, False)]
        for actor_id, state, _named, _local in ties:
            if state != "none":
                await make_follow(tx, actor_id, author.id, state)
        names = {actor_id for actor_id, _state, named, _local in ties if named}
        for whom in ("public", "unlisted", "followers", "direct"):
            post = await make_post(tx, author.id, whom, named=names)
            to = await audience.recipients(tx, post)
            assert (to.followers, set(to.actor_ids)) == (whom != "direct", names)
            await fill(tx, post, 0.0)
            for actor_id, state, named, local in ties:
                gets = named or (state == "accepted" and whom != "direct")
                assert await audience.may_see_now(tx, post, actor_id) == (gets or whom in OPEN)
                shown = post.id in {one.id for one in await at_home(tx, actor_id)}
                assert shown == (gets and local), (whom, state, named)
            assert post.id in {one.id for one in await at_home(tx, author.id)}
            assert await audience.may_see_now(tx, post, None) == (whom in OPEN)
