"""`privapub post vote`: a persona votes in a poll, here or elsewhere."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.cli.post import poll_shown
from privapub.composing.learn import seen_post
from privapub.errors import NotFound
from privapub.posts import polls
from privapub.posts.read import by_id
from privapub.server import Server


def vote(
    which: Annotated[str, typer.Argument(metavar="POST", help="The post's id, uri or page; one elsewhere is fetched.")],
    choices: Annotated[list[int], typer.Argument(metavar="NUMBER…", help="Which answers, the first one is 1.")],
    *,
    persona: Annotated[str, typer.Option("--persona", help="The handle of the persona that votes.")],
    as_json: Json = False,
) -> None:
    """Vote in a poll. A vote cannot be taken back."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        post = await seen_post(server, me.id, which)
        async with server.database.write() as tx:
            await polls.cast(tx, post.id, me.id, [choice - 1 for choice in choices], clock.now())
            voted = await by_id(tx, post.id)
        if voted is None or voted.poll is None:
            raise NotFound("There is no such poll.")
        return {"uri": voted.uri, "chosen": sorted(set(choices)), "poll": poll_shown(voted.poll)}

    data = with_server(work)
    say(data, f"Voted: {data['uri']}", as_json=as_json)
