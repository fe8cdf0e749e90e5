"""Films and sounds of every container that is taken, with all that they can tell beside themselves planted in them."""

import base64
import struct
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from planted import parts, pictures
from planted.parts import painted
from planted.words import Planted, Words

_PICTURES = ("-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.6:r=10")
_TONE = ("-f", "lavfi", "-i", "sine=d=0.6")
# Tags of the file, by the names that ffmpeg knows and its containers write.
_TAGS = (
    "title", "artist", "album", "album_artist", "composer", "comment", "description", "synopsis", "copyright", "genre",
    "make", "model", "lyrics", "show", "encoded_by", "com.apple.quicktime.location.name",
)  # fmt: skip
_XMP_IN_MP4 = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_MESSAGE = "086f3693-b7b3-4f2c-9653-21492feee5b8"  # of one program's messages within H.264


class Maker:
    """Makes them with ffmpeg in a folder that is its own."""

    def __init__(self, ffmpeg: Path, folder: Path) -> None:
        self._ffmpeg, self._folder = ffmpeg, folder

    def __iter__(self) -> Iterator[Planted]:
        """All of them, one after the other."""
        film = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
        keys = ("-movflags", "use_metadata_tags")
        yield self._film("MP4 of H.264", "mp4", *film, boxes=True, message=True)
        yield self._film("MP4 with keys", "mp4", *film, *keys, "-timecode", "00:00:00:00")
        yield self._film("MP4 in fragments", "mp4", *film, "-movflags", "frag_keyframe+empty_moov")
        yield self._film("MP4 with a track of places", "mp4", *film, "-c:s", "mov_text", captions=True, places=True)
        yield self._film("MP4 of HEVC", "mp4", "-c:v", "libx265", "-x265-params", "log-level=0", "-c:a", "ac3")
        yield self._film("MP4 of MPEG-4", "mp4", "-c:v", "mpeg4", "-c:a", "libmp3lame")
        yield self._film("MOV of H.264", "mov", *film, "-c:s", "mov_text", captions=True, boxes=True)
        yield self._film("MOV with keys", "mov", *film, *keys, "-timecode", "00:00:00:00")
        yield self._film("MOV of ProRes", "mov", "-c:v", "prores", "-c:a", "pcm_s16le")
        yield self._film("M4V", "m4v", *film)
        yield self._film("3GP", "3gp", "-c:v", "h263", "-s", "176x144", "-c:a", "aac")
        web = ("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8")
        yield self._film("WebM of VP8", "webm", *web, "-c:a", "libvorbis", "-c:s", "webvtt", captions=True)
        newer = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
        yield self._film("WebM of VP9", "webm", *newer, "-c:a", "libopus")
        yield self._film("Matroska", "mkv", *film, "-c:s", "srt", captions=True, attached=True, message=True)
        yield self._film("Ogg of Theora", "ogv", "-c:v", "libtheora", "-c:a", "libvorbis")
        yield self._mp3()
        yield self._ogg("Ogg of Vorbis", "ogg", "libvorbis")
        yield self._ogg("Ogg of Opus", "opus", "libopus")
        yield self._flac()
        yield self._wav()
        yield self._m4a("M4A of AAC", "aac")
        yield self._m4a("M4A of ALAC", "alac")
        yield self._sound("sound in WebM", "webm", Words("sound in WebM"), "-c:a", "libopus")

    def _run(self, ending: str, *arguments: str) -> bytes:
        target = self._folder / f"target.{ending}"
        command = [str(self._ffmpeg), "-v", "error", "-nostdin", "-y", *arguments, str(target)]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - the program that was found
        return target.read_bytes()

    def _written(self, name: str, data: bytes | str) -> str:
        path = self._folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def _cover(self, words: Words) -> bytes:
        """A picture that tells things of its own, as covers do."""
        bare = BytesIO()
        painted(48, 48).save(bare, "JPEG")
        told = Words(f"{words.name} cover")
        data = pictures.jpeg_comments(pictures.jpeg_exif(bare.getvalue(), told), told)
        words.made.update({f"cover's {kind}": word for kind, word in told.made.items()})
        return data

    def _film(
        self,
        name: str,
        ending: str,
        *codecs: str,
        captions: bool = False,
        attached: bool = False,
        boxes: bool = False,
        places: bool = False,
        message: bool = False,
    ) -> Planted:
        words = Words(name)
        chapters = ending not in {"3gp", "ogv", "m4v"} and "frag_keyframe+empty_moov" not in codecs
        told = ";FFMETADATA1\n"
        if chapters:
            told += f"[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle={words.of('chapter')}\n"
        inputs = [*_PICTURES, *_TONE, "-i", self._written("chapters", told)]
        maps = ["-map", "0:v", "-map", "1:a", "-map_chapters", "2", "-map_metadata", "2"]
        if captions:
            subtitle = f"1\n00:00:00,000 --> 00:00:00,500\n{words.of('caption')}\n"
            inputs += ["-i", self._written("captions.srt", subtitle)]
            maps += ["-map", "3:s"]
        if attached:
            cover = self._written("cover.jpg", self._cover(words))
            for number, path in enumerate((self._written("note.txt", words.raw("attachment")), cover)):
                kind = "text/plain" if number == 0 else "image/jpeg"
                maps += ["-attach", path, f"-metadata:s:t:{number}", f"mimetype={kind}"]
            maps += ["-metadata:s:t:0", f"filename={words.of('name of an attachment')}"]
        if message:
            maps += ["-bsf:v", f"h264_metadata=sei_user_data={_MESSAGE}+{words.of('message in the stream')}"]
        keep = _kept(ending, keys="use_metadata_tags" in codecs)
        for tag in (tag for tag in _TAGS if tag in keep):
            maps += ["-metadata", f"{tag}={words.of(tag)}"]
        maps += ["-metadata", "creation_time=1987-06-05T04:03:21Z"]
        maps += ["-metadata", "location=+52.5231+013.4123/"] if ending not in {"mkv", "webm", "ogv"} else []
        if ending in {"mp4", "mov", "m4v", "3gp"}:
            maps += ["-metadata:s:v:0", f"handler_name={words.of('handler')}", "-metadata:s:a:0", "language=deu"]
        elif ending in {"mkv", "webm"}:
            maps += ["-metadata:s:v:0", f"title={words.of('name of a track')}"]
            maps += ["-metadata:s:a:0", f"whatever={words.of('tag of a track')}"]
        data = self._run(ending, *inputs, *maps, *codecs)
        if places:  # the track of captions becomes one of a camera's places
            data = data.replace(b"sbtl", b"meta").replace(b"tx3g", b"gpmd")
        if boxes:
            xmp = pictures.box(b"uuid", _XMP_IN_MP4 + parts.xmp(words))
            own = pictures.box(b"uuid", bytes(16) + words.raw("box of a program"))
            free = pictures.box(b"free", words.raw("free space")) + pictures.box(b"skip", words.raw("skipped"))
            data += xmp + own + free + pictures.box(b"mdat", words.raw("data of nobody"))
        return Planted(name, name, ending, data, words.made)

    def _sound(self, name: str, ending: str, words: Words, *codec: str, before: tuple[str, ...] = ()) -> Planted:
        tags = [f"{tag}={words.of(tag)}" for tag in ("title", "artist", "album", "comment", "copyright")]
        maps = [part for tag in tags for part in ("-metadata", tag)]
        maps += ["-metadata", "date=1987-06-05"]
        return Planted(name, name, ending, self._run(ending, *_TONE, *before, *maps, *codec), words.made)

    def _mp3(self) -> Planted:
        words = Words("MP3")
        bare = self._run("mp3", *_TONE, "-c:a", "libmp3lame", "-id3v2_version", "0", "-map_metadata", "-1")
        tags = parts.id3(words, self._cover(words))
        data = tags + bare + parts.ape(words) + parts.id3_at_end(words)
        return Planted(words.name, "MP3", "mp3", data, words.made)

    def _ogg(self, name: str, ending: str, codec: str) -> Planted:
        words = Words(name)
        cover = _flac_picture(self._cover(words), words)
        picture = ("-metadata", f"METADATA_BLOCK_PICTURE={base64.b64encode(cover).decode()}")
        return self._sound(name, ending, words, "-c:a", codec, *picture, "-metadata", f"own={words.of('own tag')}")

    def _flac(self) -> Planted:
        words = Words("FLAC")
        made = self._sound("FLAC", "flac", words, "-c:a", "flac").data
        first = 4 + 4 + 34  # the mark, and the block STREAMINFO with its head
        blocks = (
            (6, _flac_picture(self._cover(words), words)),
            (2, b"MyAp" + words.raw("block of a program")),
            (1, words.raw("padding")),
        )
        more = b"".join(bytes([kind]) + len(body).to_bytes(3, "big") + body for kind, body in blocks)
        return Planted("FLAC", "FLAC", "flac", made[:first] + more + made[first:], words.made)

    def _wav(self) -> Planted:
        words = Words("WAV")
        made = self._sound("WAV", "wav", words, "-c:a", "pcm_s16le", "-write_bext", "1").data
        pieces = (
            (b"bext", words.raw("broadcast description").ljust(256, b"\0") + bytes(346)),
            (b"iXML", b"<BWFXML><NOTE>" + words.raw("iXML") + b"</NOTE></BWFXML>"),
            (b"_PMX", parts.xmp(words)),
            (b"id3 ", parts.id3(words, self._cover(words))),
            (b"mine", words.raw("chunk of a program")),
        )
        more = b"".join(name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2) for name, body in pieces)
        whole = made[8:] + more
        return Planted("WAV", "WAV", "wav", b"RIFF" + struct.pack("<I", len(whole)) + whole, words.made)

    def _m4a(self, name: str, codec: str) -> Planted:
        words = Words(name)
        cover = self._written("cover.jpg", self._cover(words))
        with_cover = ("-i", cover, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v:0", "attached_pic")
        return self._sound(name, "m4a", words, "-c:a", codec, before=with_cover)


def _kept(ending: str, *, keys: bool) -> set[str]:
    """Which tags a container keeps of those that it is given."""
    if ending in {"mkv", "webm"} or keys:
        return set(_TAGS)
    if ending == "ogv":
        return set(_TAGS) - {"comment"}
    common = {"title", "artist", "album", "copyright"}
    if ending == "3gp":
        return common
    if ending == "mov":
        return common - {"copyright"} | {"comment", "genre", "make", "model"}
    return common | {
        "comment", "genre", "composer", "lyrics", "show", "description", "synopsis", "album_artist",
    }  # fmt: skip


def _flac_picture(picture: bytes, words: Words) -> bytes:
    """The block PICTURE (RFC 9639, 8.8)."""
    name = words.raw("description of the cover")
    head = struct.pack(">II10sI", 3, 10, b"image/jpeg", len(name)) + name
    return head + struct.pack(">IIIII", 48, 48, 24, 0, len(picture)) + picture
