"""What is no sound backup is refused with the reason, and leaves nothing behind."""

import gzip
import io
import os
import resource
import sqlite3
import stat
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from privapub.backups import manifest as manifests
from privapub.backups.back_up import back_up
from privapub.backups.place import Place, move
from privapub.backups.restore import restore
from privapub.errors import Conflict, InvalidInput, OperatorError, PrivaPubError

REVISIONS = ("0001", "0002")
HERE = ("https://sut.test", "sut.test")


def small_place(folder: Path) -> Place:
    """An installation with a small database and two media."""
    (folder / "media" / "a").mkdir(parents=True)
    (folder / "media" / "a" / "one").write_bytes(b"1" * 5000)
    (folder / "media" / "two").write_bytes(b"22")
    connection = sqlite3.connect(folder / "privapub.sqlite3")
    connection.executescript("""
        CREATE TABLE alembic_version(version_num TEXT);
        INSERT INTO alembic_version VALUES ('0001');
        CREATE TABLE job(id INTEGER PRIMARY KEY, kind TEXT, state TEXT, attempt INTEGER, stamp TEXT, lease_until REAL,
          finished_at REAL,
            created_at REAL, first_leased_at REAL);
        CREATE TABLE lane(kind TEXT, next_at REAL);
        INSERT INTO job(kind, state, attempt) VALUES ('delivery', 'waiting', 0);""")
    connection.close()
    return Place(folder, f"sqlite:///{folder / 'privapub.sqlite3'}", *HERE)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A backup."""
    folder = tmp_path_factory.mktemp("sound")
    file = folder / "saved.tar"
    back_up(small_place(folder / "data"), file, "1.0", 1.8e9)
    return file.read_bytes()


@pytest.fixture
def empty(tmp_path: Path) -> Place:
    folder = tmp_path / "empty"
    return Place(folder, f"sqlite:///{folder / 'privapub.sqlite3'}", *HERE)


def put_back(content: bytes, place: Place, *, other_domain: bool = False) -> None:
    file = place.data.with_name("given.tar")
    file.write_bytes(content)
    restore(file, place, revisions=REVISIONS, stay=(), empty=True, other_domain=other_domain)


def members(content: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return [(info, file.read()) for info in archive if (file := archive.extractfile(info)) is not None]


def made_of(parts: list[tuple[tarfile.TarInfo, bytes]], how: int = tarfile.USTAR_FORMAT) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=how) as archive:
        for info, content in parts:
            archive.addfile(info, io.BytesIO(content))
    return whole.getvalue()


def with_media(content: bytes, name: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    """With one more entry before the manifest."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd" if kind != tarfile.REGTYPE else ""
    info.size = 1 if kind == tarfile.REGTYPE else 0
    *parts, last = members(content)
    return made_of([*parts, (info, b"x"), last])


def changed_manifest(content: bytes, old: bytes, new: bytes) -> bytes:
    *parts, (info, text) = members(content)
    assert old in text
    text = text.replace(old, new)
    info.size = len(text)
    return made_of([*parts, (info, text)])


def flipped(content: bytes, what: bytes) -> bytes:
    place = content.rindex(what)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def left_out(content: bytes, name: str) -> bytes:
    return made_of([(info, text) for info, text in members(content) if info.name != name])


def turned(content: bytes) -> bytes:
    first, *rest, last = members(content)
    return made_of([*rest, first, last])


def test_a_sound_one_is_a_plain_tar_and_is_taken(sound: bytes, empty: Place) -> None:
    names = [info.name for info, _ in members(sound)]
    assert names == ["database.sqlite3", "media/a/one", "media/two", "manifest.json"]
    put_back(sound, empty)
    assert sorted(path.name for path in empty.data.iterdir()) == ["media", "privapub.sqlite3"]
    connection = sqlite3.connect(empty.file)
    assert connection.execute("SELECT state FROM job").fetchall() == [("paused",)]
    connection.close()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9])
def test_one_that_is_cut_short_is_refused(sound: bytes, empty: Place, share: float) -> None:
    with pytest.raises(InvalidInput, match=r"cut short|no backup"):
        put_back(sound[: int(len(sound) * share)], empty)
    assert not empty.data.exists()


def test_it_may_lose_nothing_but_the_zeros_at_its_end(sound: bytes, empty: Place) -> None:
    needed = len(sound.rstrip(b"\0"))
    for end in range(512, needed, 1024):
        with pytest.raises(InvalidInput):
            put_back(sound[:end], empty)
    assert not empty.data.exists()


Spoil = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda sound: flipped(sound, b"version_num"), "its database is not what was written"),
        (lambda sound: flipped(sound, b"1" * 100), "its media are not what was written"),
        (lambda sound: flipped(sound, b"media/two"), "The backup is damaged: it is no whole tar"),
        (lambda sound: left_out(sound, "media/two"), "its media are not what was written"),
        (lambda sound: left_out(sound, "database.sqlite3"), "does not begin with one database"),
        (lambda sound: left_out(sound, "manifest.json"), "cut short"),
        (turned, "does not begin with one database"),
        (lambda sound: sound + sound, "Something follows"),
        (lambda sound: sound + b"\0" * 512 + b"x", "Something follows"),
        (lambda sound: with_media(sound, "media/more"), "its media are not what was written"),
        (lambda sound: with_media(sound, "/etc/cron.d/x"), "does not belong"),
        (lambda sound: with_media(sound, "media/../../x"), "does not belong"),
        (lambda sound: with_media(sound, "media/./x"), "does not belong"),
        (lambda sound: with_media(sound, "media//etc/x"), "does not belong"),
        (lambda sound: with_media(sound, "media/C:x"), "does not belong"),
        (lambda sound: with_media(sound, "media/..\\x"), "does not belong"),
        (lambda sound: with_media(sound, "media/a\nb"), "does not belong"),
        (lambda sound: with_media(sound, "other/x"), "does not belong"),
        (lambda sound: with_media(sound, "database.dump"), "one database"),
        (lambda sound: with_media(sound, "media/x", tarfile.SYMTYPE), "no plain file"),
        (lambda sound: with_media(sound, "media/x", tarfile.LNKTYPE), "no plain file"),
        (lambda sound: with_media(sound, "media/x", tarfile.DIRTYPE), "no plain file"),
        (lambda sound: with_media(sound, "media/x", tarfile.CHRTYPE), "no plain file"),
        (lambda sound: with_media(sound, "media/x", tarfile.FIFOTYPE), "no plain file"),
        (lambda _: made_of([(tarfile.TarInfo("media/" + "é" * 200), b"")], tarfile.PAX_FORMAT), "no plain file"),
        (lambda _: made_of([(tarfile.TarInfo("media/" + "x" * 300), b"")], tarfile.GNU_FORMAT), "no plain file"),
        (lambda sound: changed_manifest(sound, b'"format": 1', b'"format": 2'), "has format 2"),
        (lambda sound: changed_manifest(sound, b'"format": 1', b'"format": "x"'), "manifest of the backup cannot"),
        (lambda sound: changed_manifest(sound, b'"sqlite"', b'"oracle"'), "manifest of the backup cannot"),
        (lambda sound: changed_manifest(sound, b'"sqlite"', b'"postgresql"'), "does not hold the database"),
        (lambda sound: changed_manifest(sound, b'"0001"', b'"0002"'), "its manifest says 0002"),
        (lambda sound: changed_manifest(sound, b'"domain"', b'"x": "' + b"y" * 70000 + b'", "domain"'), "manifest of"),
        (lambda sound: changed_manifest(sound, b'"domain"', b'"x": ' + b"[" * 20000 + b', "domain"'), "manifest of"),
        (gzip.compress, "no backup"),
        (lambda _: b"\0" * 10240, "no backup of PrivaPub, or is cut short"),
        (lambda _: b"notes", "no backup of PrivaPub, or is cut short"),
        (lambda _: b"a" * 10240, "no backup"),
    ],
)
def test_one_that_was_changed_is_refused(sound: bytes, empty: Place, spoil: Spoil, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        put_back(spoil(sound), empty)
    assert not empty.data.exists()


def test_a_size_that_is_not_there_is_not_believed(empty: Place) -> None:
    for size in (2**62, 10**15):
        info = tarfile.TarInfo("database.sqlite3")
        info.size = size
        with pytest.raises(InvalidInput, match="cut short"):
            put_back(info.tobuf(tarfile.GNU_FORMAT) + b"x" * 1024, empty)
    assert not empty.data.exists()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b'"0001"', b'"0099"', "schema 0099, which is newer"),
        (b"https://sut.test", b"https://other.test", "is of sut.test at https://other.test"),
        (b'"sut.test"', b'"other.test"', "The addresses of its personas"),
    ],
)
def test_one_that_does_not_belong_here_is_refused(sound: bytes, empty: Place, old: bytes, new: bytes, why: str) -> None:
    with pytest.raises(Conflict, match=why):
        put_back(changed_manifest(sound, old, new), empty)
    assert not empty.data.exists()


def test_another_address_is_taken_by_who_says_so(sound: bytes, empty: Place) -> None:
    put_back(changed_manifest(sound, b"https://sut.test", b"https://other.test"), empty, other_domain=True)
    assert empty.file.exists()


def test_one_of_the_other_kind_of_database_is_refused(sound: bytes, empty: Place) -> None:
    other = Place(empty.data, "postgresql://nobody@127.0.0.1:1/x", *HERE, "", 18)
    with pytest.raises(Conflict, match="is of SQLite"):
        put_back(sound, other)
    assert not empty.data.exists()


@pytest.mark.parametrize(
    "spoil", ["CREATE TRIGGER t AFTER INSERT ON job BEGIN DELETE FROM job; END", "CREATE VIEW v AS SELECT 1"]
)
def test_a_database_that_acts_by_itself_is_refused(tmp_path: Path, spoil: str) -> None:
    place = small_place(tmp_path / "data")
    connection = sqlite3.connect(place.file)
    connection.execute(spoil)
    connection.close()
    with pytest.raises(OperatorError, match="triggers or views"):
        back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_what_is_there_is_left_alone(sound: bytes, empty: Place) -> None:
    empty.data.mkdir()
    for name in ("privapub.sqlite3", "privapub.sqlite3-wal", "media/x"):
        path = empty.data / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
        with pytest.raises(Conflict, match="already"):
            put_back(sound, empty)
        assert [found.name for found in empty.data.rglob("*") if found.is_file()] == [path.name]
        assert path.read_text() == "mine"
        path.unlink()
    put_back(sound, empty)


def test_a_file_that_is_there_is_not_written_over(sound: bytes, tmp_path: Path) -> None:
    place = small_place(tmp_path / "data")
    target = tmp_path / "saved.tar"
    target.write_text("mine")
    with pytest.raises(Conflict, match="already"):
        back_up(place, target, "1.0", 1.8e9)
    assert target.read_text() == "mine"
    assert sound
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "saved.tar"]


def test_a_backup_into_nowhere_and_of_nothing_is_said_in_a_sentence(tmp_path: Path, empty: Place) -> None:
    place = small_place(tmp_path / "data")
    with pytest.raises(OperatorError, match="cannot be written"):
        back_up(place, tmp_path / "nowhere" / "saved.tar", "1.0", 1.8e9)
    with pytest.raises(OperatorError, match="cannot be copied"):
        back_up(empty, tmp_path / "saved.tar", "1.0", 1.8e9)
    place.file.write_bytes(b"no database at all" * 1000)
    with pytest.raises(OperatorError, match="cannot be copied: file is not a database"):
        back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
    with pytest.raises(OperatorError, match=r"cannot be restored: .*nowhere"):
        restore(tmp_path / "nowhere", empty, revisions=REVISIONS, stay=(), empty=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_damaged_database_is_not_called_a_backup(tmp_path: Path) -> None:
    place = small_place(tmp_path / "data")
    content = bytearray(place.file.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    place.file.write_bytes(content)
    with pytest.raises(OperatorError, match=r"damaged|cannot be"):
        back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
    assert not (tmp_path / "saved.tar").exists()


def test_media_that_go_or_shrink_meanwhile_are_not_missed(tmp_path: Path, empty: Place) -> None:
    place = small_place(tmp_path / "data")
    (place.media / "b").write_bytes(b"b" * 3_000_000)

    def spoil(what: str, done: int, _total: int) -> None:
        if what == "writing" and done > 2_000_000:
            (place.media / "b").write_bytes(b"b")
            (place.media / "two").unlink(missing_ok=True)

    (place.media / "later").symlink_to(place.media / "b")
    made = back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9, spoil)
    assert (made.media.files, made.media.bytes) == (1, 5000)
    put_back((tmp_path / "saved.tar").read_bytes(), empty)
    assert [path.name for path in empty.media.rglob("*") if path.is_file()] == ["one"]


def test_a_second_restore_at_once_is_refused(sound: bytes, empty: Place) -> None:
    refused: list[str] = []

    def again(_what: str, _done: int, _total: int) -> None:
        if not refused:
            with pytest.raises(PrivaPubError) as error:
                put_back(sound, empty)
            refused.append(str(error.value))

    file = empty.data.with_name("first.tar")
    file.write_bytes(sound)
    restore(file, empty, revisions=REVISIONS, stay=(), empty=True, progress=again)
    assert refused == ["Another restore is under way here."]
    assert empty.file.exists()


def test_a_server_that_starts_meanwhile_keeps_its_database(sound: bytes, empty: Place) -> None:
    def start(what: str, _done: int, _total: int) -> None:
        if what == "putting it in place":
            empty.file.write_text("new")

    file = empty.data.with_name("first.tar")
    file.write_bytes(sound)
    with pytest.raises(Conflict, match="There is a database now"):
        restore(file, empty, revisions=REVISIONS, stay=(), empty=True, progress=start)
    assert [path.name for path in empty.data.iterdir()] == ["privapub.sqlite3"]
    assert empty.file.read_text() == "new"


def test_a_manifest_says_everything_it_was_told() -> None:
    media = manifests.Media(3, 4, "m")
    made = manifests.Manifest(
        1, "1.0", *HERE, "2026-12-01T00:00:00.000Z", manifests.Database("sqlite", "1", 2, "d"), media
    )
    assert manifests.decode(manifests.encode(made)) == made


@pytest.mark.parametrize("limit", [30_000, 300_000, 3_000_000])
def test_a_full_disk_is_said_in_a_sentence_and_leaves_nothing(tmp_path: Path, limit: int) -> None:
    place = small_place(tmp_path / "data")
    (place.media / "big").write_bytes(b"b" * 2_500_000)
    with closing(sqlite3.connect(place.file)) as connection:
        connection.execute("CREATE TABLE filling AS SELECT zeroblob(200000)")
        connection.commit()
    with full_after(limit), pytest.raises(OperatorError, match=r"cannot be (written|copied)") as error:
        back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
        raise OperatorError(f"cannot be written: {limit} were enough")
    assert (limit == 3_000_000) == ("were enough" in str(error.value))
    assert [path.name for path in tmp_path.iterdir() if path.name not in {"data", "saved.tar"}] == []
    (tmp_path / "saved.tar").unlink(missing_ok=True)
    back_up(place, tmp_path / "saved.tar", "1.0", 1.8e9)
    new = Place(tmp_path / "new", f"sqlite:///{tmp_path / 'new' / 'privapub.sqlite3'}", *HERE)
    if limit < 2_500_000:
        with full_after(limit), pytest.raises(OperatorError, match="cannot be restored"):
            restore(tmp_path / "saved.tar", new, revisions=REVISIONS, stay=(), empty=True)
        assert not new.data.exists()
    restore(tmp_path / "saved.tar", new, revisions=REVISIONS, stay=(), empty=True)
    assert new.file.exists()


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """No file of this process grows beyond this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_database_beside_the_data_folder_comes_back_beside_it(sound: bytes, empty: Place, tmp_path: Path) -> None:
    beside = Place(empty.data, f"sqlite:///{tmp_path / 'databases' / 'one.db'}", *HERE)
    put_back(sound, beside)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()) == [
        "databases/one.db", "empty/media/a/one", "empty/media/two", "given.tar",
    ]  # fmt: skip
    assert stat.S_IMODE(beside.file.stat().st_mode) == 0o600


def test_a_file_system_without_links_will_do(
    sound: bytes, empty: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_link)
    put_back(sound, empty)
    back_up(empty, tmp_path / "saved.tar", "1.0", 1.8e9)
    with pytest.raises(FileExistsError):
        move(tmp_path / "saved.tar", empty.file)
    assert (tmp_path / "saved.tar").exists()
