"""The command and the check of the schema, as the older and the newer of two releases meet the same database."""

import asyncio
import json
import logging

import pytest

from privapub.cli import migrate as command
from privapub.database.connect import Database
from privapub.errors import InvalidInput, OperatorError
from privapub.migrations import apply, run
from privapub.settings import Settings
from rooms.migrations import killed

OLDER, BEFORE, NEWER = "9001", "9002a", "9002b"
STEPS = (*run.REVISIONS, OLDER, BEFORE, NEWER)


class Release:
    """A program that one installs over another; its steps are taken in this process."""

    def __init__(self, url: str, patch: pytest.MonkeyPatch, said: pytest.CaptureFixture[str]) -> None:
        self._url, self._patch, self._said = url, patch, said

        async def here(database_url: str, *way: str) -> None:
            await apply.apply(database_url, way[-1], back=way[0] == "--back")

        patch.setattr(apply, "VERSIONS", (*apply.VERSIONS, killed.RELEASES))
        patch.setattr(command, "settings", lambda: Settings(data=killed.RELEASES, database_url=url))
        patch.setattr(run, "_apply", here)
        asyncio.run(apply.apply(url, OLDER))

    def installed(self, head: str) -> None:
        """From now on it is the release with this last step."""
        for module in (run, command):
            self._patch.setattr(module, "HEAD", head)
            self._patch.setattr(module, "REVISIONS", STEPS[: STEPS.index(head) + 1])

    def migrate(self, *, before: bool = False, back: bool = False) -> str:
        """What `privapub migrate` says."""
        command.migrate(before=before, back=back, as_json=True)
        said = json.loads(self._said.readouterr().out)
        return f"{said['before']} -> {said['now']}"

    def sentence(self, *, before: bool = False, back: bool = False) -> str:
        """What it says to a person."""
        command.migrate(before=before, back=back, as_json=False)
        return self._said.readouterr().out

    def starts(self) -> bool:
        """Whether this release would serve."""

        async def check() -> None:
            database = Database(self._url)
            try:
                await run.check_current(database)
            finally:
                await database.close()

        try:
            asyncio.run(check())
        except OperatorError:
            return False
        return True


@pytest.fixture
def release(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Release:
    return Release(database_url, monkeypatch, capsys)


def test_the_newer_release_is_installed_without_stopping_the_older_one(
    release: Release, caplog: pytest.LogCaptureFixture
) -> None:
    release.installed(NEWER)
    assert not release.starts(), "its before half has not been taken"
    assert release.migrate(before=True) == f"{OLDER} -> {BEFORE}"
    with caplog.at_level(logging.WARNING):
        assert release.starts()
    assert "run `privapub migrate`" in caplog.text
    release.installed(OLDER)
    assert release.starts()
    assert release.migrate() == f"{BEFORE} -> {BEFORE}", "it leaves the newer one's half alone"

    release.installed(NEWER)
    assert release.migrate() == f"{BEFORE} -> {NEWER}"
    assert release.starts()
    release.installed(OLDER)
    assert not release.starts()


def test_the_newer_release_hands_back_to_the_older_one(release: Release) -> None:
    release.installed(NEWER)
    assert release.migrate() == f"{OLDER} -> {NEWER}"
    assert release.migrate(back=True) == f"{NEWER} -> {BEFORE}"
    release.installed(OLDER)
    assert release.starts()
    release.installed(NEWER)
    assert release.migrate() == f"{BEFORE} -> {NEWER}"


def test_going_back_where_there_is_no_way_is_refused(release: Release) -> None:
    release.installed(OLDER)
    with pytest.raises(OperatorError, match=f"no way back from schema {OLDER}"):
        release.migrate(back=True)
    release.installed(NEWER)
    release.migrate(before=True)
    with pytest.raises(OperatorError, match=f"no way back from schema {BEFORE}"):
        release.migrate(back=True)
    with pytest.raises(InvalidInput):
        release.migrate(before=True, back=True)


def test_where_there_is_nothing_to_do_it_says_so(release: Release) -> None:
    release.installed(NEWER)
    assert release.sentence(before=True) == f"The database went from {OLDER} to {BEFORE}.\n"
    assert "before an older version is stopped" in release.sentence(before=True)
    assert release.sentence() == f"The database went from {BEFORE} to {NEWER}.\n"
    assert release.sentence() == f"The database is at {NEWER} already.\n"
    assert release.sentence(before=True) == f"The database is at {NEWER} already.\n"
