"""A database that cannot be used is said in a sentence, with a hint."""

from pathlib import Path

import pytest

from privapub.database.connect import Database
from privapub.errors import OperatorError
from privapub.migrations.run import current


async def refusal(url: str) -> OperatorError:
    database = Database(url)
    try:
        with pytest.raises(OperatorError) as caught:
            await current(database)
    finally:
        await database.close()
    assert "PRIVAPUB_DATABASE_URL" in caught.value.hint
    return caught.value


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "garbage").write_bytes(bytes(range(256)) * 64)
    assert "file is not a database" in str(await refusal(f"sqlite:///{tmp_path}/garbage"))


async def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    assert "unable to open" in str(await refusal(f"sqlite:///{tmp_path}"))


@pytest.mark.parametrize("host", ["127.0.0.1:9", "nobody.invalid"])
async def test_a_postgresql_that_is_not_there_and_its_password_stays_out(host: str) -> None:
    said = str(await refusal(f"postgresql://somebody:secret@{host}/privapub"))
    assert host.partition(":")[0] in said
    assert "secret" not in said
