"""Archives of pictures that become emojis: nothing in one leads anywhere, and a damaged one is told of as that."""

import io
import random
import tarfile
from pathlib import Path

import pytest

from privapub.emojis import take_in
from privapub.emojis.take_in import pictures
from privapub.errors import InvalidInput

NOISE = random.Random(5).randbytes(20_000)  # noqa: S311 - the same each time


def archive(*members: tuple[str, bytes, dict[str, object]], packing: str = "w") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=packing, format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]  # one of its modes
        for name, content, told in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for key, value in told.items():
                setattr(member, key, value)
            tar.addfile(member, io.BytesIO(content))
    return data.getvalue()


def found(folder: Path, data: bytes) -> list[tuple[str, bytes | str]]:
    source = folder / "emojis.tar"
    source.write_bytes(data)
    with pictures(source) as some:
        return [(name, what if isinstance(what, str) else what.read_bytes()) for name, what in some]


@pytest.mark.parametrize("packing", ["w", "w:gz", "w:bz2", "w:xz"])
def test_no_path_and_no_link_leads_anywhere(tmp_path: Path, packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take_in, "LARGEST", 20_000)
    data = archive(
        ("../../../up.png", NOISE, {}),
        ("/etc/root.png", NOISE, {}),
        ("link.png", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
        ("hard.png", b"", {"type": tarfile.LNKTYPE, "linkname": "../../../up.png"}),
        ("device.png", b"", {"type": tarfile.CHRTYPE}),
        ("pipe.png", b"", {"type": tarfile.FIFOTYPE}),
        ("large.png", NOISE + b"x", {}),
        ("text.txt", NOISE, {}),
        packing=packing,
    )
    assert [(name, len(what)) for name, what in found(tmp_path, data) if isinstance(what, bytes)] == [
        ("up", 20_000), ("root", 20_000),
    ]  # fmt: skip
    assert [name for name, what in found(tmp_path, data) if isinstance(what, str)] == ["large"]
    assert [each.name for each in tmp_path.iterdir()] == ["emojis.tar"]


@pytest.mark.parametrize("packing", ["w:gz", "w:bz2", "w:xz"])
def test_a_damaged_archive_is_told_of_as_that(tmp_path: Path, packing: str) -> None:
    whole = archive(("a.png", NOISE, {}), ("b.png", NOISE, {}), packing=packing)
    refused = 0
    for at in range(20, len(whole), len(whole) // 200):
        damaged = whole[:at] + bytes(each ^ 0xFF for each in whole[at : at + 9]) + whole[at + 9 :]
        try:
            found(tmp_path, damaged)
        except InvalidInput:
            refused += 1
    assert refused


@pytest.mark.parametrize(
    "told",
    [
        {"size": "99999999999999999999999"},
        {"GNU.sparse.map": "0,5,a"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "z.png"},
    ],
)
def test_numbers_that_are_none_are_damage(tmp_path: Path, told: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        found(tmp_path, archive(("b.png", NOISE, {"pax_headers": told})))


def test_a_name_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    ((name, _),) = found(tmp_path, archive(("a/\udcff\x1b[31m\u202egnp.png", NOISE, {})))
    assert name == "\ufffd[31mgnp"
