"""`privapub media process`: what would become of a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

Type = Callable[..., int]


def test_a_picture_is_made_and_what_was_taken_out_is_told(
    typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Image.Exif()
    told[0x010F] = "Planted-Kw7"
    Image.new("RGB", (1500, 900), "teal").save(tmp_path / "a.jpg", exif=told, comment=b"Planted-Kw7")
    assert typed("media", "process", str(tmp_path / "a.jpg"), "--into", str(tmp_path / "made")) == 0
    said = capsys.readouterr().out
    assert "EXIF" in said
    assert "1500 by 900" in said
    assert typed("media", "process", str(tmp_path / "a.jpg"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["role"] for each in found["files"]] == ["original", "large", "small"]
    assert {"EXIF", "text", "camera"} <= set(found["removed"])
    laid = sorted((tmp_path / "made").iterdir())
    assert len(laid) == len(found["files"])
    assert not any(b"Planted" in path.read_bytes() for path in laid)


def test_what_is_no_picture_is_refused_in_a_sentence(
    typed: Type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.png").write_text("hello")
    assert typed("media", "process", str(tmp_path / "a.png")) == 1
    assert "no picture, film or sound" in capsys.readouterr().err
    assert typed("media", "process", str(tmp_path / "none.png")) == 1


def test_a_post_brings_its_pictures(
    told: Callable[..., Any],
    refused: Callable[..., str],
    installation: Path,
    tmp_path: Path,
) -> None:
    del installation
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "a.png")
    Image.new("RGB", (40, 60), "red").save(tmp_path / "b.png")
    (tmp_path / "c.png").write_text("hello")
    create = ("post", "create", "--persona", "bea", "--audience", "public")
    made = told(
        *create, "--media", str(tmp_path / "a.png"), "--media", str(tmp_path / "b.png"), "--alt", "A field", "look"
    )
    assert [(file["alt"], file["width"], file["height"]) for file in made["media"]] == [
        ("A field", 60, 40),
        ("", 40, 60),
    ]
    assert "no picture" in refused(*create, "--media", str(tmp_path / "c.png"), "look")
    assert "more --alt" in refused(*create, "--alt", "A field", "look")
    assert "no file" in refused(*create, "--media", str(tmp_path / "d.png"), "look")


def test_the_store_is_swept(told: Callable[..., Any], tmp_path: Path) -> None:
    none = {"orphans": 0, "bytes": 0, "missing": 0}
    nothing = {"deleted": False, "orphans": [], "bytes": 0, "missing": [], "cache": none}
    assert told("media", "sweep", "--dry-run") == nothing
    assert not (tmp_path / "media").exists()
    lost = tmp_path / "cache" / "AA" / f"{'A' * 22}.webp.part"
    lost.parent.mkdir(parents=True)
    lost.write_bytes(b"12345")
    assert told("media", "sweep", "--dry-run")["cache"] == {**none, "orphans": 1, "bytes": 5}
    assert lost.exists()
    assert told("media", "sweep")["cache"] == {**none, "orphans": 1, "bytes": 5}
    assert not lost.exists()


def test_a_persona_is_given_an_avatar_and_a_header(
    told: Callable[..., Any], refused: Callable[..., str], installation: Path, tmp_path: Path
) -> None:
    del installation
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "a.png")
    (tmp_path / "c.png").write_text("hello")
    Image.effect_noise((400, 400), 90).convert("RGB").save(tmp_path / "whole.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:-2000])
    edit = ("persona", "edit", "bea")
    made = told(*edit, "--avatar", str(tmp_path / "a.png"), "--header", str(tmp_path / "a.png"), "--name", "Bea")
    assert "/media/" in made["avatar"]
    assert "/media/" in made["header"]
    assert made["avatar"] != made["header"]
    assert "no picture" in refused(*edit, "--avatar", str(tmp_path / "c.png"), "--name", "B")
    assert "damaged" in refused(*edit, "--avatar", str(tmp_path / "cut.jpg"), "--name", "B")
    assert "contradict" in refused(*edit, "--avatar", str(tmp_path / "a.png"), "--no-avatar")
    assert "no file" in refused(*edit, "--header", str(tmp_path / "d.png"))
    shown = told("persona", "show", "bea")
    assert (shown["avatar"], shown["header"], shown["name"]) == (made["avatar"], made["header"], "Bea")
    told(*edit, "--avatar", str(tmp_path / "a.png"), "--avatar-alt", "A teal field")
    said = told(*edit, "--header-alt", "The same")
    assert (said["avatar_alt"], said["header_alt"]) == ("A teal field", "The same")
    shown = told("persona", "show", "bea")
    assert (shown["avatar_alt"], shown["header_alt"]) == ("A teal field", "The same")
    assert "too long" in refused(*edit, "--header-alt", "x" * 1501)
    bare = told(*edit, "--no-avatar")
    assert (bare["avatar_alt"], bare["header_alt"]) == ("", "The same")
    assert (bare["avatar"], bare["header"]) == (None, made["header"])


def test_descriptions_of_a_post_are_changed(
    told: Callable[..., Any], refused: Callable[..., str], installation: Path, tmp_path: Path
) -> None:
    del installation
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "a.png")
    file = ("--media", str(tmp_path / "a.png"))
    made = told("post", "create", "--persona", "bea", "--audience", "public", *file, *file, "--alt", "A field", "look")
    edit = ("post", "edit", made["id"], "--persona", "bea")
    edited = told(*edit, "--alt", "A sea", "--alt", "A wood")
    assert [each["alt"] for each in edited["media"]] == ["A sea", "A wood"]
    assert (edited["text"], edited["edited_at"] is None) == ("look", False)
    again = told(*edit, "--alt", "A hill", "see")
    assert ([each["alt"] for each in again["media"]], again["text"]) == (["A hill", "A wood"], "see")
    assert "more descriptions" in refused(*edit, "--alt", "a", "--alt", "b", "--alt", "c")


def test_a_post_goes_when_its_files_are_ready(
    told: Callable[..., Any], typed: Type, capsys: pytest.CaptureFixture[str], installation: Path, tmp_path: Path
) -> None:
    del installation
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "a.png")
    Image.effect_noise((400, 400), 90).convert("RGB").save(tmp_path / "whole.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:-2000])
    create = ("post", "create", "--persona", "bea", "--audience", "public", "--later")
    made = told(*create, "--media", str(tmp_path / "cut.jpg"), "look")
    assert (made["waits"], made["why"], made["audience"]) == (True, "", "public")
    told("post", "create", "--persona", "bea", "--audience", "public", "behind it")
    assert [each.get("waits") for each in told("post", "list", "--persona", "bea")] == [True, True]
    # Another upload of this persona is made here and now, and so are those that wait.
    told("persona", "edit", "bea", "--avatar", str(tmp_path / "a.png"))
    assert typed("post", "list", "--persona", "bea") == 0
    assert "waits: The picture cannot be read: it is damaged" in capsys.readouterr().out
    edited = told("post", "edit", made["id"], "--persona", "bea", "--drop-failed")
    assert "media" not in edited
    assert (edited["waits"], edited["why"]) == (True, "")
