"""What the three commands that last are asked to do, and how they begin."""

import re
import signal
import sys
from pathlib import Path

import anyio
import pytest

from fakes import ports
from privapub import job_table
from privapub.app import Stopping, Work, chosen, close_server, open_server, what_has_time
from privapub.cli.parts import Parts, parts
from privapub.errors import OperatorError
from privapub.jobs.job import Done, Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.settings import load
from rules.house import ROOT, SOURCE


async def nothing(_job: Job) -> Outcome:
    return Done()


KINDS = {name: JobKind(name, fetch=nothing, at_once=8) for name in ("delivery", "inbox", "post_published", "prune")}


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("serve", Parts(web=True, work=True)),
        ("web", Parts(web=True, work=False)),
        ("work", Parts(web=False, work=True)),
        ("work --kinds inbox,delivery", Parts(web=False, work=True, kinds=("inbox", "delivery"))),
        ("work --kinds=facts --concurrency=3", Parts(web=False, work=True, kinds=("facts",), concurrency=3)),
    ],
)
def test_a_plain_line_is_read_without_what_reads_options(line: str, meant: Parts) -> None:
    assert parts(line.split()) == meant


@pytest.mark.parametrize(
    "line",
    [
        "",
        "serve --help",
        "web now",
        "work --concurrency 0",
        "work --concurrency x",
        "work --kind",
        "work now",
        "work --kinds ,",
        "work --kinds=",
    ],
)
def test_anything_else_is_left_to_what_explains_it(line: str) -> None:
    assert parts(line.split()) is None


def at_once(*names: str, concurrency: int | None = None) -> dict[str, int]:
    return {name: kind.at_once for name, kind in chosen(KINDS, Work(names, concurrency)).items()}


def test_only_the_chosen_kinds_have_places_and_the_others_stay_known() -> None:
    assert at_once() == dict.fromkeys(KINDS, 8)
    assert at_once("inbox") == {"delivery": 0, "inbox": 8, "post_published": 0, "prune": 0}
    assert at_once("facts", "prune") == {"delivery": 0, "inbox": 0, "post_published": 8, "prune": 8}
    assert at_once("delivery", concurrency=3) == {"delivery": 3, "inbox": 0, "post_published": 0, "prune": 0}


def test_a_kind_that_there_is_not_is_said_with_the_nearest() -> None:
    with pytest.raises(OperatorError) as near:
        chosen(KINDS, Work(["deliveries"]))
    assert near.value.hint == "Did you mean delivery?"
    with pytest.raises(OperatorError) as far:
        chosen(KINDS, Work(["zzz"]))
    assert far.value.hint == "There are delivery, inbox, prune, and facts: post_published."


async def test_the_names_of_the_kinds_are_those_of_the_table_and_all_are_explained(tmp_path: Path) -> None:
    server = open_server(load({"PRIVAPUB_DATA": str(tmp_path)}).settings)
    assert set(job_table.job_kinds(server)) == job_table.KINDS
    await close_server(server)
    page = (ROOT / "docs" / "how-to" / "look-after-the-queue.md").read_text(encoding="utf-8")
    table = page[page.index("| a job of the kind |") :].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == job_table.KINDS


def test_what_is_told_to_stop_before_anybody_listens_is_told_then() -> None:
    stopping, told = Stopping(), list[str]()
    stopping.once()
    stopping.once()
    stopping.then(lambda: told.append("early"))
    assert told == ["early"]
    stopping()
    assert told == ["early", "early"]


@pytest.mark.parametrize(
    ("jobs", "web", "said"),
    [
        (0, False, "no job is under way"),
        (1, False, "1 job has 25 seconds; a second signal ends it"),
        (3, False, "3 jobs have 25 seconds; a second signal ends them"),
        (0, True, "what is being answered has 25 seconds; a second signal ends it"),
        (1, True, "1 job and what is being answered have 25 seconds; a second signal ends them"),
    ],
)
def test_whoever_stops_it_is_told_what_it_waits_for(jobs: int, web: bool, said: str) -> None:
    assert what_has_time(jobs, web=web) == f"stopping: {said}"


async def typed(folder: Path, *words: str, **environ: str) -> tuple[int | None, str]:
    """What a command of the terminal ends with, and what it says."""
    own = {"PYTHONPATH": str(SOURCE), "PRIVAPUB_DATA": str(folder / "data"), **environ}
    with anyio.fail_after(90):
        done = await anyio.run_process([sys.executable, "-m", "privapub.cli.entry", *words], check=False, env=own)
    return done.returncode, done.stderr.decode()


async def test_web_and_work_make_no_tables_and_say_who_does(tmp_path: Path) -> None:
    status, said = await typed(tmp_path, "work")
    assert status == 1
    assert said.startswith("Error: The database has no tables yet.\nHint: ")
    assert "anew" not in said


@pytest.mark.parametrize("kinds", ["", " , "])
async def test_a_list_of_kinds_that_names_none_is_not_taken_for_all(tmp_path: Path, kinds: str) -> None:
    status, said = await typed(tmp_path, "work", "--kinds", kinds)
    error, hint = said.splitlines()
    assert (status, error) == (1, "Error: --kinds names no kind.")
    assert hint.startswith(
        "Hint: There are ask_origin, clean_domain, context, delivery, inbox, letter, media, name_later, preview, "
        "profile_link, prune, push, quote, read_poll, remote_file, scheduled, synchronize, unstore, "
        "and facts: actor_blocked, "
    )
    assert hint.endswith(". Leave the option away for all of them.")


async def test_a_taken_port_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    with ports.bound() as taken:
        taken.listen()
        port = taken.getsockname()[1]
        status, said = await typed(tmp_path, "web", PRIVAPUB_LISTEN=f"127.0.0.1:{port}")
    assert (status, said.splitlines()[0]) == (1, f"Error: Port {port} on 127.0.0.1 is taken.")


def resident(process: int | str) -> int:
    """Bytes of memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return 1024 * int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0])


def children(process: int) -> list[str]:
    """The processes that it has started."""
    return Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how large a process is")
async def test_an_idle_server_is_small(tmp_path: Path) -> None:
    """Parent and child together: 121 MiB on CPython 3.11, and some room for other versions."""
    own = {
        "PYTHONPATH": str(SOURCE),
        "PRIVAPUB_DATA": str(tmp_path / "data"),
        "PRIVAPUB_LISTEN": f"127.0.0.1:{ports.free()}",
    }
    command = [sys.executable, "-m", "privapub.cli.entry", "serve"]
    async with await anyio.open_process(command, env=own) as server:
        try:
            assert server.stdout is not None
            with anyio.fail_after(120):
                said = b""
                while b"account create" not in said:
                    said += await server.stdout.receive()
            (child,) = children(server.pid)
            assert resident(server.pid) < 20 * 2**20
            assert resident(server.pid) + resident(child) < 132 * 2**20
            server.send_signal(signal.SIGTERM)
            with anyio.fail_after(60):
                assert server.stderr is not None
                log = b"".join([part async for part in server.stderr])
                assert await server.wait() == 0
            assert log.count(b"what is being answered ha") == 1
        finally:
            if server.returncode is None:
                server.kill()


async def test_the_parent_and_a_child_on_sqlite_load_only_what_they_need() -> None:
    shows = "import sys; print(*sorted(sys.modules))"
    for begins, not_needed in (
        ("import privapub.cli.entry", {"asyncio", "sqlalchemy", "structlog", "typer", "uvicorn"}),
        ("import privapub.cli.process", {"typer", "asyncpg", "alembic"}),
    ):
        done = await anyio.run_process(
            [sys.executable, "-c", f"{begins}; {shows}"], check=True, env={"PYTHONPATH": str(SOURCE)}
        )
        assert not not_needed & set(done.stdout.decode().split())
