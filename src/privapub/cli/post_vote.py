"""`privapub post vote`: a persona votes in a poll, here or elsewhere."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.meant import seen
from privapub.cli.opened import with_server
from privapub.cli.options import AnyPost, Json, Persona
from privapub.cli.output import say
from privapub.cli.shown import poll_lines, poll_shown
from privapub.errors import InvalidInput, NotFound
from privapub.posts import polls
from privapub.posts.poll_read import Poll
from privapub.posts.read import by_id
from privapub.server import Server


def vote(
    which: AnyPost,
    choices: Annotated[
        list[int], typer.Argument(metavar="NUMBER", help="Which answers; the first one of the poll is 1.")
    ],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Vote in a poll. A vote cannot be taken back."""

    async def work(server: Server) -> dict[str, Any]:
        me, post = await seen(server, persona, which)
        if post.poll is not None:
            _check(post.poll, choices)
        async with server.database.write() as tx:
            await polls.cast(tx, post.id, me.id, [choice - 1 for choice in choices], clock.now())
            voted = await by_id(tx, post.id)
        if voted is None or voted.poll is None:
            raise NotFound("There is no such poll.")
        return {"uri": voted.uri, "chosen": sorted(set(choices)), "poll": poll_shown(voted.poll)}

    data = with_server(work)
    say(data, f"Voted: {data['uri']}\n{poll_lines(data['poll'])}", as_json=as_json)


def _check(poll: Poll, choices: list[int]) -> None:
    wrong = [choice for choice in choices if not 1 <= choice <= len(poll.options)]
    if wrong:
        answers = "; ".join(f"{number} {option.name}" for number, option in enumerate(poll.options, start=1))
        raise InvalidInput(f"This poll has no answer {wrong[0]}.", f"Its answers: {answers}.")
