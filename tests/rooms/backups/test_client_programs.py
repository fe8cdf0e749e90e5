"""PostgreSQL's own programs: found, of the right version, and told the password where nobody sees it."""

import asyncio
import hashlib
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url

from privapub.backups import archive, manifest, postgresql
from privapub.backups.back_up import back_up
from privapub.backups.client_programs import environment, find, what_it_said
from privapub.backups.place import Place
from privapub.backups.restore import restore
from privapub.database.connect import Database
from privapub.errors import Conflict, InvalidInput, OperatorError
from privapub.migrations.run import REVISIONS
from rooms.backups.conftest import BASE_URL, DOMAIN, OLD_TOOLS, SERVER, TOOLS


@pytest.mark.parametrize(
    ("url", "variables"),
    [
        (
            "postgresql://ann:s%40cret@db.test:5433/house",
            {"PGUSER": "ann", "PGPASSWORD": "s@cret", "PGHOST": "db.test", "PGPORT": "5433", "PGDATABASE": "house"},
        ),
        ("postgresql://ann@/house?host=/run/pg", {"PGUSER": "ann", "PGDATABASE": "house", "PGHOST": "/run/pg"}),
        (
            "postgresql://db/house?password=s3cret&sslmode=require&sslrootcert=/a",
            {
                "PGHOST": "db",
                "PGDATABASE": "house",
                "PGPASSWORD": "s3cret",
                "PGSSLMODE": "require",
                "PGSSLROOTCERT": "/a",
            },
        ),
        ("postgresql://db/house?ssl=verify-full", {"PGHOST": "db", "PGDATABASE": "house", "PGSSLMODE": "verify-full"}),
        (
            "postgresql://db/house?search_path=one%2C two&application_name=x",
            {"PGHOST": "db", "PGDATABASE": "house", "PGOPTIONS": "-c search_path=one,\\ two -c application_name=x"},
        ),
        ("postgresql:///house", {"PGDATABASE": "house"}),
    ],
)
def test_everything_that_a_url_says_is_in_the_environment(url: str, variables: dict[str, str]) -> None:
    assert environment(make_url(url), {}) == {"LC_ALL": "C", **variables}


def test_what_the_url_does_not_say_stays_as_it_is() -> None:
    outer = {"PGPASSFILE": "/p", "PGHOST": "elsewhere", "PATH": "/bin"}
    assert environment(make_url("postgresql://db/house"), outer) == {
        **outer, "LC_ALL": "C", "PGHOST": "db", "PGDATABASE": "house",
    }  # fmt: skip


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_program_of_the_servers_version_or_newer_is_found() -> None:
    for name in ("pg_dump", "pg_restore", "psql"):
        assert find(name, TOOLS, SERVER) == Path(TOOLS) / name
        assert find(name, TOOLS, SERVER - 2) == Path(TOOLS) / name


def test_one_on_the_path_is_found_without_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "pg_dump", "echo 'pg_dump (PostgreSQL) 18beta1 (Debian 18~beta1-1)'")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find("pg_dump", "", 18) == tmp_path / "bin" / "pg_dump"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'pg_dump (PostgreSQL) 9.6.24'", "is of PostgreSQL 9, and the server is 18"),
        ("echo 'pg_dump (PostgreSQL) 17.2'", "is of PostgreSQL 17, and the server is 18"),
        ("echo hello", "does not tell its version"),
        ("printf '\\377'", "does not tell its version"),
        ("exit 3", "does not tell its version"),
    ],
)
def test_one_that_is_too_old_or_odd_is_refused(tmp_path: Path, script: str, why: str) -> None:
    program(tmp_path, "pg_dump", script)
    with pytest.raises(OperatorError, match=why) as error:
        find("pg_dump", str(tmp_path), 18)
    assert "postgresql-client-18" in error.value.hint
    assert "PRIVAPUB_PG_TOOLS" in error.value.hint


def test_one_that_is_not_there_is_missed_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for folder, where in (("", "on the PATH"), (str(tmp_path), f"in {tmp_path}")):
        with pytest.raises(OperatorError, match=f"There is no pg_restore {where}") as error:
            find("pg_restore", folder, 18)
        assert "18 or newer" in error.value.hint


def test_a_real_one_that_is_too_old_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path / "data", "postgresql://127.0.0.1:1/x", BASE_URL, DOMAIN, OLD_TOOLS, SERVER)
    with pytest.raises(OperatorError, match="is of PostgreSQL 16, and the server is 18"):
        back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
    assert list(tmp_path.iterdir()) == []


def test_of_what_a_program_says_the_rows_are_left_out() -> None:
    said = b"psql:<stdin>:7: ERROR:  duplicate key value\nDETAIL:  Key (email)=(a@b.test) exists.\nCONTEXT:  COPY\n"
    assert what_it_said(said) == "psql:<stdin>:7: ERROR:  duplicate key value"
    assert what_it_said(b"\n") == "it did not say why"


async def test_the_server_tells_its_version_and_whether_it_is_empty(
    postgresql_url: str, postgresql_server: str
) -> None:
    for url, empty in ((postgresql_url, False), (postgresql_server, True)):
        database = Database(url)
        assert await postgresql.ask(database) == postgresql.Asked(SERVER, empty)
        await database.close()
    database = Database("postgresql://nobody:s3cret@127.0.0.1:1/x")
    with pytest.raises(OperatorError, match="cannot be used") as error:
        await postgresql.ask(database)
    assert "s3cret" not in f"{error.value} {error.value.hint}"
    await database.close()


@pytest.fixture
def saved(postgresql_url: str, tmp_path: Path) -> Callable[..., Path]:
    """Makes a backup with these programs."""

    def saved_(tools: str = TOOLS, url: str = postgresql_url) -> Path:
        file = tmp_path / "saved.tar"
        back_up(Place(tmp_path / "data", url, BASE_URL, DOMAIN, tools, SERVER), file, "1.0", 1.8e9)
        return file

    return saved_


async def test_the_password_is_on_no_command_line(
    saved: Callable[..., Path], postgresql_url: str, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    for name in ("pg_dump", "pg_restore", "psql"):
        real = shlex.quote(f"{TOOLS}/{name}")
        program(tmp_path / "bin", name, f'echo "$0 $@ password=$PGPASSWORD" >> {told}\nexec {real} "$@"')
    url = postgresql_url.replace("postgres:@", "postgres:s3cret@")
    await asyncio.to_thread(saved, str(tmp_path / "bin"), url)
    lines = told.read_text().splitlines()
    assert any("--format=custom" in line for line in lines)
    assert all(line.count("s3cret") == line.count("password=s3cret") for line in lines)
    assert any(line.endswith("password=s3cret") for line in lines)


def put_back(file: Path, place: Place) -> None:
    restore(file, place, revisions=REVISIONS, stay=(), empty=True)


async def nothing_in(place: Place) -> bool:
    database = Database(place.database)
    found = await postgresql.ask(database)
    await database.close()
    return found.empty and not place.data.exists()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_restore_whose_program_fails_leaves_nothing(
    saved: Callable[..., Path], elsewhere: Place, tmp_path: Path
) -> None:
    file = await asyncio.to_thread(saved)
    scripts = {
        "pg_restore": f'case "$*" in *--data-only*) exec {TOOLS}/pg_restore "$@";; *--version*) exec {TOOLS}/pg_restore'
        f' --version;; esac\n{TOOLS}/pg_restore "$@" | head -c 30000\necho "pg_restore: error: no more" >&2\nexit 1',
        "psql": f'case "$*" in *--version*) exec {TOOLS}/psql --version;; esac\nread line\n'
        'echo "psql: error: connection lost" >&2\nexit 2',
    }
    for name, script in scripts.items():
        folder = tmp_path / f"without {name}"
        for other in ("pg_dump", "pg_restore", "psql"):
            program(folder, other, script if other == name else f'exec {TOOLS}/{other} "$@"')
        with pytest.raises(OperatorError, match=r"no more|connection lost"):
            await asyncio.to_thread(put_back, file, replace(elsewhere, tools=str(folder)))
        assert await nothing_in(elsewhere)
    await asyncio.to_thread(put_back, file, elsewhere)
    assert not await nothing_in(elsewhere)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_database_with_anything_in_it_is_refused_at_once_and_at_last(
    saved: Callable[..., Path], elsewhere: Place
) -> None:
    file = await asyncio.to_thread(saved)
    connection = await asyncpg.connect(elsewhere.database)
    await connection.execute("CREATE TABLE job(mine integer)")
    with pytest.raises(Conflict, match="holds tables already"):
        await asyncio.to_thread(lambda: restore(file, elsewhere, revisions=REVISIONS, stay=(), empty=False))
    # Made by somebody after the question whether it is empty.
    with pytest.raises(OperatorError, match=r"cannot be restored: .*already exists"):
        await asyncio.to_thread(put_back, file, elsewhere)
    assert [
        row[0] for row in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    ] == ["job"]
    await connection.close()
    assert not elsewhere.data.exists()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_dump_that_is_none_is_refused(elsewhere: Place, saved: Callable[..., Path]) -> None:
    file = await asyncio.to_thread(saved)
    forged = file.with_name("forged.tar")
    body = b"PGDMP" + bytes(1000)
    sha256 = hashlib.sha256(body).hexdigest()
    with forged.open("w+b") as target:
        archive.add_bytes(target, "database.dump", body)
        made = manifest.Manifest(
            1, "1.0", BASE_URL, DOMAIN, "", manifest.Database("postgresql", "0001", len(body), sha256),
            archive.MediaHash().so_far(),
        )  # fmt: skip
        archive.add_bytes(target, "manifest.json", manifest.encode(made))
        archive.finish(target)
    with pytest.raises((OperatorError, InvalidInput), match="cannot be read"):
        await asyncio.to_thread(put_back, forged, elsewhere)
    assert await nothing_in(elsewhere)
