"""What commands say of other servers: of what came from them, and of what could not be fetched there."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from makers import make_post, make_remote
from privapub import clock
from privapub.cli.meant import in_words
from privapub.cli.opened import with_server
from privapub.database.transaction import Transaction
from privapub.moderation import reports
from privapub.outbound.answers import FAILED, REFUSED, FetchProblem
from privapub.personas.read import by_handle
from privapub.server import Server

Type = Callable[..., int]
ANN = ("--persona", "ann")


def writing(work: Callable[[Transaction], Awaitable[Any]]) -> Any:
    """What this gives, done in the installation for which commands are typed."""

    async def opened(server: Server) -> Any:
        async with server.database.write() as tx:
            return await work(tx)

    return with_server(opened)


@pytest.mark.parametrize("reason", sorted({*REFUSED, *FAILED, "401", "403", "404", "410", "429", "500", "503"}))
def test_each_reason_is_a_sentence_with_the_port_where_one_was_typed(reason: str) -> None:
    problem = FetchProblem("peer.test", reason)
    for address in ("https://peer.test:8443/1", "@carol@peer.test:8443"):
        said = str(in_words(problem, ("https://other.test/2", address)))
        assert "peer.test:8443" in said
        assert reason not in said or reason in {"500", "503"}
    assert "peer.test" in str(in_words(problem, ()))


def test_a_report_is_by_a_server_or_by_somebody(told: Callable[..., Any]) -> None:
    async def come(tx: Transaction) -> None:
        ann = await by_handle(tx, "ann")
        assert ann is not None
        for kind, name in (("Application", "peer.test"), ("Person", "carol")):
            reporter = await make_remote(tx, f"{name}@peer.test", kind=kind)
            await reports.receive(tx, f"https://peer.test/flags/{kind}", reporter.id, ann.id, (), "rude", clock.now())

    writing(come)
    assert {row["reporter"] for row in told("reports", "list")} == {"the server peer.test", "@carol@peer.test"}


def test_the_rest_of_a_thread_is_asked_for_where_others_have_a_part(
    told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str]
) -> None:
    async def come(tx: Transaction) -> str:
        return str((await make_post(tx, (await make_remote(tx)).id)).id)

    post = writing(come)
    assert typed("post", "thread", post, *ANN) == 0
    assert "The rest of it is being asked for." in capsys.readouterr().out
    again = told("post", "thread", post, *ANN)
    assert (again["asked"], [row["author"] for row in again["posts"]]) == (False, ["@carol@peer.test"])
