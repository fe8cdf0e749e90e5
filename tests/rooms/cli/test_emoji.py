"""`privapub emoji …`, typed: from a picture to the posts that use it."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

Told = Callable[..., Any]


def picture(path: Path, side: int = 300) -> Path:
    Image.new("RGB", (side, side), "teal").save(path)
    return path


def stored(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "media").rglob("*.*"))


def test_an_emoji_is_added_replaced_used_and_removed(told: Told, refused: Callable[..., str], tmp_path: Path) -> None:
    first = told("emoji", "add", ":blobcat:", str(picture(tmp_path / "a.png")), "--category", "cats")
    assert (first["name"], first["category"], stored(tmp_path)) == ("blobcat", "cats", [first["file"]])
    with Image.open(next((tmp_path / "media").rglob("*.*"))) as made:
        assert made.size == (128, 128)
    second = told("emoji", "add", "blobcat", str(picture(tmp_path / "a.png")))
    assert [each["file"] for each in told("emoji", "list")] == [second["file"]] != [first["file"]]
    post = told("post", "create", "--persona", "bea", "--audience", "public", "a :blobcat: and :none:")
    tags = told("federation", "show", post["uri"])["tags"]
    assert [(tag["type"], tag["name"]) for tag in tags] == [("Emoji", ":blobcat:")]
    assert tags[0]["href"].endswith(f"/media/{second['file']}")
    assert "no name of an emoji" in refused("emoji", "add", "a b", str(tmp_path / "a.png"))
    (tmp_path / "b.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert "no picture" in refused("emoji", "add", "svg", str(tmp_path / "b.svg"))
    assert told("emoji", "remove", ":blobcat:")["removed"]
    assert "no emoji" in refused("emoji", "remove", "blobcat")
    assert told("emoji", "list") == []


def test_a_folder_and_a_tar_are_imported_and_one_bad_file_stops_no_other(
    told: Told, refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name in ("one.png", "two.PNG", "x.png"):
        picture(folder / name)
    (folder / "bad.png").write_text("hello")
    (folder / "readme.txt").write_text("hello")
    taken = told("emoji", "import", str(folder), "--category", "all")
    assert taken["added"] == ["one", "two"]
    assert [each["name"] for each in taken["refused"]] == ["bad", "x"]
    with tarfile.open(tmp_path / "many.tar.gz", "w:gz") as archive:
        archive.add(folder / "one.png", "../../../outside.png")
        archive.add(folder / "one.png", "pack/three.png")
        link = tarfile.TarInfo("link.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        large = tarfile.TarInfo("large.png")
        large.size = 9 << 20
        archive.addfile(large, io.BytesIO(bytes(large.size)))
    taken = told("emoji", "import", str(tmp_path / "many.tar.gz"))
    assert taken["added"] == ["outside", "three"]
    assert [each["name"] for each in taken["refused"]] == ["large"]
    assert not (tmp_path.parent / "outside.png").exists()
    assert "neither a folder nor a tar" in refused("emoji", "import", str(folder / "readme.txt"))


def test_emojis_of_a_profile_go_with_it(told: Told, tmp_path: Path) -> None:
    def names() -> list[str]:
        found = told("federation", "show", told("persona", "show", "bea")["id"])
        return [tag["name"] for tag in found["tags"]]

    for name in ("blobcat", "boat", "sea"):
        told("emoji", "add", name, str(picture(tmp_path / "a.png")))
    told("persona", "edit", "bea", "--name", "Bea :blobcat: :none:")
    assert names() == [":blobcat:"]
    told("persona", "edit", "bea", "--bio", "I like :sea:", "--field", "Boat=:boat:")
    assert names() == [":blobcat:", ":sea:", ":boat:"]
    told("persona", "edit", "bea", "--no-fields", "--name", "Bea")
    assert names() == [":sea:"]
