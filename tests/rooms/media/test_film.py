"""Films and sounds are made anew, and what they told beside themselves is gone."""

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from planted.allowed import of_no_need
from privapub.media import ffmpeg, sniff_film
from privapub.media.child import film
from privapub.media.child.order import Faulty, Order, Result

SECRET = "Planted-Kw7"
LEAKS = (SECRET.encode(), b"+52.52", b"Lav", b"x264", b"FFMP", b"Handler", b"deu")
CHAPTERS = f""";FFMETADATA1
title={SECRET}
[CHAPTER]
TIMEBASE=1/1000
START=0
END=500
title={SECRET} 1
[CHAPTER]
TIMEBASE=1/1000
START=500
END=1000
title={SECRET} 2
"""
PICTURES = ("-f", "lavfi", "-i", "testsrc2=s=320x240:d=1:r=25")
TONE = ("-f", "lavfi", "-i", "sine=d=1")
TAGS = (
    "-metadata", f"comment={SECRET}", "-metadata", f"artist={SECRET}", "-metadata", f"make={SECRET}",
    "-metadata", "location=+52.52+013.40/", "-metadata", "creation_time=2020-02-02T02:02:02Z",
    "-metadata:s", f"title={SECRET}", "-metadata:s", "language=deu",
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("exiftool")


@pytest.fixture(autouse=True)
def _working(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path / "made")


def planted(programs: ffmpeg.Programs, target: Path, *arguments: str) -> Path:
    subprocess.run([str(programs.ffmpeg), "-v", "error", "-nostdin", "-y", *arguments, str(target)], check=True)  # noqa: S603 - the program that was found
    return target


def made(programs: ffmpeg.Programs, source: Path, *, demuxer: str = "", **changes: Any) -> Result:
    container = sniff_film.BY_DEMUXER[demuxer] if demuxer else sniff_film.container(source.read_bytes()[:65536])
    assert container is not None
    order = Order(
        kind="film",
        format=container.demuxer,
        source=str(source),
        purpose="post",
        pixels=40_000_000,
        side=16384,
        frames=100,
        duration=600,
        longest=3840,
        ffmpeg=str(programs.ffmpeg),
        ffprobe=str(programs.ffprobe),
    )
    return film.make(msgspec.structs.replace(order, **changes))


def tells_nothing(result: Result) -> None:
    for each in result.files:
        raw = Path(each.name).read_bytes()
        assert [leak for leak in LEAKS if leak in raw] == []
    first = result.files[0].name
    said = subprocess.run(["exiftool", "-j", "-G1", "-a", first], capture_output=True, check=True).stdout  # noqa: S603, S607 - Debian's
    tags = msgspec.json.decode(said)[0]
    del tags["SourceFile"]
    assert of_no_need(tags) == {}


def streams(programs: ffmpeg.Programs, name: str) -> list[dict[str, Any]]:
    command = [str(programs.ffprobe), "-v", "error", "-show_streams", "-show_chapters", "-of", "json", name]
    said = msgspec.json.decode(subprocess.run(command, capture_output=True, check=True).stdout)  # noqa: S603 - the same
    assert said["chapters"] == []
    found: list[dict[str, Any]] = said["streams"]
    return found


@pytest.mark.parametrize(
    ("ending", "codecs"),
    [
        ("mp4", ("libx264", "aac")),
        ("mov", ("libx264", "aac")),
        ("webm", ("libvpx", "libopus")),
        ("mkv", ("libx264", "flac")),
    ],
)
def test_a_film_becomes_one_that_tells_nothing(
    programs: ffmpeg.Programs, tmp_path: Path, ending: str, codecs: tuple[str, str]
) -> None:
    (tmp_path / "chapters").write_text(CHAPTERS, encoding="utf-8")
    more = ("-movflags", "use_metadata_tags") if ending in {"mp4", "mov"} else ()
    source = planted(
        programs, tmp_path / f"film.{ending}", *PICTURES, *TONE, "-i", str(tmp_path / "chapters"),
        "-map", "0", "-map", "1", "-map_metadata", "2", "-map_chapters", "2", *TAGS, *more,
        "-c:v", codecs[0], "-c:a", codecs[1],
    )  # fmt: skip
    assert SECRET.encode() in source.read_bytes()
    result = made(programs, source)
    tells_nothing(result)
    assert (result.kind, result.width, result.height) == ("video", 320, 240)
    assert [each.role for each in result.files] == ["original", "poster", "small"]
    assert [one["codec_name"] for one in streams(programs, result.files[0].name)] == ["h264", "aac"]
    assert {"the title", "comments", "the place", "the device", "chapters"} <= set(result.removed)
    assert result.duration == pytest.approx(1.0, abs=0.1)
    assert result.blurhash
    whole = Path(result.files[0].name).read_bytes()
    assert whole.index(b"moov") < whole.index(b"mdat")


def test_a_silent_film_is_turned_bounded_and_slowed(programs: ffmpeg.Programs, tmp_path: Path) -> None:
    wide = ("-f", "lavfi", "-i", "testsrc2=s=2560x1440:d=0.5:r=120", "-c:v", "libx264", "-preset", "ultrafast")
    flat = planted(programs, tmp_path / "flat.mp4", *wide)
    source = planted(programs, tmp_path / "turned.mp4", "-i", str(flat), "-c", "copy", "-metadata:s:v", "rotate=90")
    result = made(programs, source)
    (only,) = streams(programs, result.files[0].name)
    assert (only["width"], only["height"]) == (result.width, result.height) == (1080, 1920)
    assert only["pix_fmt"] == "yuv420p"
    assert int(only["nb_frames"]) <= 31
    tells_nothing(result)


@pytest.mark.parametrize(
    ("ending", "codec"),
    [("mp3", "libmp3lame"), ("flac", "flac"), ("m4a", "aac"), ("ogg", "libopus"), ("wav", "pcm_s16le")],
)
def test_a_sound_tells_nothing_and_offers_its_cover(
    programs: ffmpeg.Programs, tmp_path: Path, ending: str, codec: str
) -> None:
    source = tmp_path / f"sound.{ending}"
    covered = ending in {"mp3", "flac", "m4a"}
    if covered:
        cover = planted(programs, tmp_path / "cover.jpg", *PICTURES, "-frames:v", "1", "-update", "1")
        with_cover = ("-i", str(cover), "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v:0", "attached_pic")
        planted(programs, source, *TONE, *with_cover, "-c:a", codec, "-metadata", f"title={SECRET}")
    else:
        planted(programs, source, *TONE, "-c:a", codec, "-metadata", f"title={SECRET}")
    assert SECRET.encode() in source.read_bytes()
    result = made(programs, source)
    tells_nothing(result)
    assert (result.kind, result.files[0].media_type) == ("audio", "audio/mp4")
    assert [each.role for each in result.files[1:]] == (["poster", "small"] if covered else [])
    assert ("the cover" in result.removed) == covered
    assert "the title" in result.removed
    assert [one["codec_name"] for one in streams(programs, result.files[0].name)] == ["aac"]


def test_what_is_beyond_a_bound_is_said(programs: ffmpeg.Programs, tmp_path: Path) -> None:
    source = planted(programs, tmp_path / "film.mp4", *PICTURES)
    with pytest.raises(Faulty, match="larger than is taken"):
        made(programs, source, pixels=10_000)
    long = planted(programs, tmp_path / "long.flac", "-f", "lavfi", "-i", "sine=d=9")
    with pytest.raises(Faulty, match="longer than 3 seconds"):
        made(programs, long, duration=3)
    # Written to a pipe, a Matroska file does not tell how long it is.
    command = [str(programs.ffmpeg), "-v", "error", "-f", "lavfi", "-i", "sine=d=9", "-f", "matroska", "-"]
    untold = tmp_path / "untold.mkv"
    untold.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)  # noqa: S603 - the same
    with pytest.raises(Faulty, match="longer than 3 seconds"):
        made(programs, untold, duration=3)


def test_captions_do_not_keep_a_film_from_being_taken(programs: ffmpeg.Programs, tmp_path: Path) -> None:
    captions = tmp_path / "captions.srt"
    captions.write_text("1\n00:00:00,000 --> 00:00:01,000\nHello\n", encoding="utf-8")
    for ending, codec in (("mp4", "mov_text"), ("mkv", "ass"), ("webm", "webvtt")):
        source = planted(programs, tmp_path / f"film.{ending}", *PICTURES, "-i", str(captions), "-c:s", codec)
        result = made(programs, source)
        assert "subtitles" in result.removed
        assert [one["codec_type"] for one in streams(programs, result.files[0].name)] == ["video"]


@pytest.mark.parametrize("sound", [(), TONE], ids=["silent", "with a longer sound"])
def test_a_film_of_one_picture_has_a_poster(programs: ffmpeg.Programs, tmp_path: Path, sound: tuple[str, ...]) -> None:
    one = ("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.04:r=25")
    result = made(programs, planted(programs, tmp_path / "film.mp4", *one, *sound))
    assert [each.role for each in result.files] == ["original", "poster", "small"]


def test_a_coding_that_is_not_read_is_named(programs: ffmpeg.Programs, tmp_path: Path) -> None:
    source = planted(programs, tmp_path / "film.mkv", *PICTURES, "-c:v", "msmpeg4")
    with pytest.raises(Faulty, match="coded as msmpeg4"):
        made(programs, source)


@pytest.mark.parametrize("ending", ["mp4", "mkv", "flac"])
def test_what_is_cut_off_is_said(programs: ffmpeg.Programs, tmp_path: Path, ending: str) -> None:
    source = planted(programs, tmp_path / f"whole.{ending}", "-f", "lavfi", "-i", "sine=d=9")
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 3])
    with pytest.raises(Faulty, match="damaged or cut off"):
        made(programs, source)


@pytest.mark.parametrize(
    "text",
    [
        "#EXTM3U\n#EXTINF:1,\nfile:{other}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile '{other}'\n",
        "<MPD>{other}</MPD>",
    ],
)
def test_lists_of_files_open_nothing(programs: ffmpeg.Programs, tmp_path: Path, text: str) -> None:
    other = planted(programs, tmp_path / "other.mp4", *PICTURES)
    source = tmp_path / "list.mp4"
    source.write_text(text.format(other=other), encoding="utf-8")
    assert sniff_film.container(source.read_bytes()) is None
    for behind in (b"", b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41", b"ID3\x04\0\0\0\0\0\0"):
        source.write_bytes(behind + text.format(other=other).encode())
        for demuxer in sniff_film.BY_DEMUXER:
            with pytest.raises(Faulty):
                made(programs, source, demuxer=demuxer)
