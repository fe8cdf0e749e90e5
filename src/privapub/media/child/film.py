"""Films and sounds made anew by ffmpeg, within the child process.

First the file is *probed*: what it holds is known, and what is too large, too long or of no known codec is refused,
before anything is decoded. Then everything that is kept is decoded and encoded again, and nothing else is taken over:
no tags, no chapters, no subtitles, no tracks of data, and not what an encoder writes about itself.

ffmpeg never guesses what it reads: the demuxer is given, it and the decoders are on a list, and the one protocol is
`file`. So a playlist or a list of files opens nothing, also where it lies within another file.
"""

import contextlib
import io
import json
import re
import resource
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import msgspec

from privapub.errors import Unavailable
from privapub.media.child import picture
from privapub.media.child.order import Faulty, Order, Result, Written, say
from privapub.media.sniff_film import BY_DEMUXER, Container

LONGEST_SIDE = 1920  # pixels of a film
FRAME_RATE = 60
STREAMS = 32
CORES = "2"
# The codecs of the films and sounds that people have, and how the decoders are called that read them and covers.
_PCM = "pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_u8,pcm_alaw,pcm_mulaw"
_CODECS = (
    "h264,hevc,vp8,vp9,av1,mpeg4,h263,mjpeg,prores,theora,dvvideo,rawvideo,"
    f"aac,mp3,opus,vorbis,flac,alac,ac3,eac3,speex,adpcm_ima_wav,adpcm_ms,{_PCM}"
)
_DECODERS = f"{_CODECS},libvpx,libvpx-vp9,libdav1d,libaom-av1,mp3float,libopus,libvorbis,libspeex,png,webp,bmp,gif"
# Nothing of what was read, and nothing that tells by what or when it was written.
_TELLS_NOTHING = (
    "-map_metadata", "-1", "-map_metadata:s", "-1", "-map_chapters", "-1",
    "-fflags", "+bitexact", "-flags", "+bitexact",
)  # fmt: skip
# A space, since ffmpeg writes its own name where there is none.
_MP4 = ("-metadata:s", "encoder= ", "-movflags", "+faststart", "-empty_hdlr_name", "1", "-write_tmcd", "0")
# Ffprobe opens the decoders of all streams, also of those that nobody wants; of captions nothing is decoded.
_CAPTIONS = "mov_text,subrip,srt,ass,ssa,webvtt,text,dvdsub,pgssub,dvbsub"
_REFUSED = re.compile(rb"Codec \((\w{1,40})\) not on whitelist")
FRAME = Path("frame.png")
_ONE_PICTURE = (
    "-an", "-sn", "-dn", *_TELLS_NOTHING, "-frames:v", "1", "-update", "1", "-c:v", "png", "-pix_fmt", "rgb24",
    "-threads", "1", "-f", "image2", f"file:{FRAME}",
)  # fmt: skip
_NO_SEI = "filter_units=remove_types=6"  # the messages in which x264 writes its version and options (H.264, 7.3.2.3)

DAMAGED = "The file is damaged or cut off."
# Words for what tags tell, by what their names hold; others are named as they are.
_WORDS = {
    "the place": ("location", "gps", "xyz"),
    "the time": ("date", "creation_time", "year"),
    "the device": ("make", "model", "com.android"),
    "the program": ("encoder", "encoded_by", "software", "vendor_id"),
    "the title": ("title",),
    "comments": ("comment", "description", "synopsis", "lyrics"),
    "names": ("artist", "author", "composer", "copyright", "publisher"),
}
# What every file of the container says, whoever made it.
_OF_THE_CONTAINER = frozenset({"major_brand", "minor_version", "compatible_brands", "language", "duration", "rotate"})


@dataclass(frozen=True)
class Found:
    """What probing found in a file."""

    container: Container
    duration: float | None  # None where the file does not tell
    film: int | None  # the index of the stream of pictures
    sound: int | None
    cover: int | None
    width: int  # as it is looked at, rotation and shape of the pixels applied
    height: int
    rate: float  # pictures a second
    channels: int
    removed: tuple[str, ...]

    @property
    def kind(self) -> Literal["video", "audio"]:
        """`video`, or `audio`."""
        return "audio" if self.film is None else "video"


def make(order: Order) -> Result:
    """The files of a film or a sound, in the folder that the process works in.

    A film has a poster; a sound has one where it had a cover. Raises Faulty with a sentence where the file is at fault,
    Unavailable where a program was killed.
    """
    kind, source, target = BY_DEMUXER[order.format], Path(order.source), Path("original.mp4")
    found = understood(_asked(order.ffprobe, probing(kind.demuxer, source)), kind, order)
    most = _most_bytes()
    asked = (
        film(found, source, target, order, most) if found.kind == "video" else sound(found, source, target, order, most)
    )
    reached = _run([order.ffmpeg, *asked], found.duration)
    duration = _length(order, target, found, reached, most)
    if found.kind == "video":
        for length in (duration, 0.0):  # its pictures may end before its sounds do
            if not FRAME.exists():
                _run([order.ffmpeg, *poster(target, length)], None)
        if not FRAME.exists():
            raise Faulty(DAMAGED)
        width, height = fitted(found.width, found.height, _longest(order))
        media_type, look = "video/mp4", _pictures(order)
    else:
        width, height, media_type, look = None, None, "audio/mp4", _cover(found, source, order)
    return Result(
        kind=found.kind,
        files=(Written("original", target.name, media_type, width, height), *look.files),
        width=width,
        height=height,
        duration=duration,
        blurhash=look.blurhash,
        colour=look.colour,
        removed=found.removed,
    )


def _pictures(order: Order) -> Result:
    """What the maker of pictures makes of the frame that lies there: the poster, and a small one."""
    asked = msgspec.structs.replace(order, kind="image", format="png", source=str(FRAME.absolute()), purpose="post")
    with contextlib.redirect_stdout(io.StringIO()):  # how far the whole work is, is told here
        made = picture.make(asked)
    first, *others = made.files
    smaller = [each for each in others if each.role == "small"]
    return msgspec.structs.replace(made, files=(msgspec.structs.replace(first, role="poster"), *smaller))


def _cover(found: Found, source: Path, order: Order) -> Result:
    """The pictures of a sound's cover; none where it has none, or one that cannot be read, which makes it no worse."""
    if found.cover is None:
        return Result()
    try:
        _run([order.ffmpeg, *cover(found, source, order)], None)
        return _pictures(order)
    except Faulty:
        return Result()


def _longest(order: Order) -> int:
    return min(LONGEST_SIDE, order.longest)


def _most_bytes() -> int:
    """How large a file may become here, so that ffmpeg ends in good order before it is killed for it; 0: no bound."""
    bound = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return 0 if bound == resource.RLIM_INFINITY else bound * 9 // 10


# What is asked of the programs (pure)


def reading(kind: str, source: Path, decoders: str = _DECODERS) -> list[str]:
    """How a file is opened: by this demuxer alone, from the disk alone."""
    mov = ["-enable_drefs", "0", "-use_absolute_path", "0"] if kind == "mov" else []
    return [
        "-protocol_whitelist", "file", "-format_whitelist", kind, "-codec_whitelist", decoders,
        "-max_streams", str(STREAMS), *mov, "-f", kind, "-i", f"file:{source}",
    ]  # fmt: skip


def probing(kind: str, source: Path) -> list[str]:
    """Ffprobe's arguments: what is in the file, as JSON."""
    shown = ["-show_format", "-show_streams", "-show_chapters", "-of", "json"]
    return ["-v", "error", *shown, *reading(kind, source, f"{_DECODERS},{_CAPTIONS}")]


def _quietly(order: Order) -> list[str]:
    # The limit of pixels holds for every picture: a film may change its size in the middle.
    return ["-v", "quiet", "-nostdin", "-y", "-max_pixels", str(order.pixels), "-threads", CORES]


def film(found: Found, source: Path, target: Path, order: Order, most: int) -> list[str]:
    """Ffmpeg's arguments for H.264 and AAC in an MP4 whose index comes first."""
    width, height = fitted(found.width, found.height, _longest(order))
    slower = [f"fps={FRAME_RATE}"] if found.rate > FRAME_RATE else []
    filters = ",".join([*slower, f"scale={width}:{height}", "setsar=1", "format=yuv420p"])
    return [
        *_quietly(order), *reading(found.container.demuxer, source), "-map", f"0:{found.film}", "-vf", filters,
        "-filter_threads", "1", "-fpsmax", str(FRAME_RATE), "-c:v", "libx264", "-preset", "veryfast", "-crf", "23",
        "-profile:v", "high", "-threads", CORES, "-bsf:v", _NO_SEI, *_sound(found), *_ends(order, most), *_MP4,
        "-f", "mp4", f"file:{target}",
    ]  # fmt: skip


def sound(found: Found, source: Path, target: Path, order: Order, most: int) -> list[str]:
    """Ffmpeg's arguments for AAC in an MP4 without pictures."""
    return [
        *_quietly(order), *reading(found.container.demuxer, source), *_sound(found), *_ends(order, most), *_MP4,
        "-f", "mp4", f"file:{target}",
    ]  # fmt: skip


def _sound(found: Found) -> list[str]:
    if found.sound is None:
        return ["-an"]
    channels = max(1, min(2, found.channels))
    return [
        "-map",
        f"0:{found.sound}",
        "-c:a",
        "aac",
        "-b:a",
        f"{80 * channels}k",
        "-ac",
        str(channels),
        "-ar",
        "48000",
    ]


def _ends(order: Order, most: int) -> list[str]:
    # A second more than is allowed, by which it is seen that a file is longer than it tells.
    end = ["-t", str(order.duration + 1), *(["-fs", str(most)] if most else [])]
    return ["-sn", "-dn", *_TELLS_NOTHING, *end, "-progress", "pipe:1", "-stats_period", "1"]


def poster(film_made: Path, duration: float) -> list[str]:
    """Ffmpeg's arguments for a picture out of a film that we made: of its first second, where it is seldom black."""
    return [
        "-v", "quiet", "-nostdin", "-y", "-threads", "1", "-ss", f"{min(1.0, duration / 3):.3f}",
        *reading("mov", film_made), *_ONE_PICTURE,
    ]  # fmt: skip


def cover(found: Found, source: Path, order: Order) -> list[str]:
    """Ffmpeg's arguments for the cover that lies within a sound."""
    return [*_quietly(order), *reading(found.container.demuxer, source), "-map", f"0:{found.cover}", *_ONE_PICTURE]


def fitted(width: int, height: int, longest: int) -> tuple[int, int]:
    """The size within a longest side, in the same shape and, as H.264 with 4:2:0 needs them, of even numbers."""
    share = min(Fraction(1), Fraction(longest, max(width, height)))
    return max(2, int(width * share) // 2 * 2), max(2, int(height * share) // 2 * 2)


# What the programs say


def _asked(ffprobe: str, arguments: list[str]) -> dict[str, Any]:
    command = [ffprobe, *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - the operator's own program
    if done.returncode < 0:
        raise Unavailable(f"ffprobe was killed by signal {-done.returncode}.")
    if done.returncode:
        refused = _REFUSED.search(done.stderr)
        raise Faulty(_unread("A part", refused[1].decode()) if refused else DAMAGED)
    said = json.loads(done.stdout.decode(errors="replace"))
    return said if isinstance(said, dict) else {}


def understood(said: dict[str, Any], kind: Container, order: Order) -> Found:
    """What ffprobe said of a file, read (pure). Raises Faulty for what is not taken."""
    streams = said.get("streams", [])
    covers = [one for one in streams if one.get("codec_type") == "video" and _is_cover(one)]
    films = [one for one in streams if one.get("codec_type") == "video" and not _is_cover(one)]
    sounds = [one for one in streams if one.get("codec_type") == "audio"]
    if not films and not sounds:
        raise Faulty("There is neither film nor sound in this file.")
    for one in [*films[:1], *sounds[:1]]:
        if one.get("codec_name") not in _CODECS.split(","):
            name = str(one.get("codec_name", "an unknown way"))[:40]
            raise Faulty(_unread(f"The {one['codec_type']}", name))
    duration = _seconds(said.get("format", {}).get("duration"))
    if duration is not None and duration > order.duration:
        raise Faulty(_too_long(order))
    width, height = _seen(films[0], order) if films else (0, 0)
    return Found(
        container=kind,
        duration=duration,
        film=films[0]["index"] if films else None,
        sound=sounds[0]["index"] if sounds else None,
        cover=covers[0]["index"] if covers else None,
        width=width,
        height=height,
        rate=_rate(films[0]) if films else 0.0,
        channels=int(sounds[0].get("channels", 2)) if sounds else 0,
        removed=_removed(said, covers),
    )


def _unread(part: str, codec: str) -> str:
    return f"{part} of this file is coded as {codec}, which is not read here."


def _is_cover(stream: dict[str, Any]) -> bool:
    return bool(stream.get("disposition", {}).get("attached_pic"))


def _too_long(order: Order) -> str:
    return f"This is longer than {order.duration} seconds, which is the most that is taken."


def _seen(stream: dict[str, Any], order: Order) -> tuple[int, int]:
    """The size as it is looked at: pixels made square, and turned as the file says."""
    width, height = int(stream.get("width", 0)), int(stream.get("height", 0))
    if width < 1 or height < 1:
        raise Faulty(DAMAGED)
    if width * height > order.pixels or max(width, height) > order.side:
        raise Faulty(f"The pictures of this film are {width} by {height} pixels, which is larger than is taken.")
    shape = _fraction(stream.get("sample_aspect_ratio", ""), ":")
    if Fraction(1, 8) <= shape <= 8:
        width = max(1, round(width * shape))
    turned = [side.get("rotation", 0) for side in stream.get("side_data_list", [])]
    quarter = any(round(float(turn)) % 180 == 90 for turn in turned)
    return (height, width) if quarter else (width, height)


def _rate(stream: dict[str, Any]) -> float:
    return float(_fraction(stream.get("avg_frame_rate", ""), "/"))


def _fraction(text: str, between: str) -> Fraction:
    first, _, second = str(text).partition(between)
    if not (first.isdecimal() and second.isdecimal()) or int(second) == 0:
        return Fraction(0)
    return Fraction(int(first), int(second))


def _seconds(text: Any) -> float | None:
    try:
        seconds = float(text)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _removed(said: dict[str, Any], covers: list[dict[str, Any]]) -> tuple[str, ...]:
    """What the file tells beside its pictures and sounds, in words, each once."""
    streams = said.get("streams", [])
    found: dict[str, None] = {}
    for holder in chain([said.get("format", {})], streams):
        for name in map(str.lower, holder.get("tags", {})):
            if name not in _OF_THE_CONTAINER and not name.startswith("handler"):
                words = (word for word, parts in _WORDS.items() if any(part in name for part in parts))
                found[next(words, f"the tag {name[:40]}")] = None
    others = {
        "chapters": bool(said.get("chapters")),
        "the cover": bool(covers),
        "subtitles": any(one.get("codec_type") == "subtitle" for one in streams),
        "tracks of data": any(one.get("codec_type") in {"data", "attachment"} for one in streams),
    }
    return (*found, *(word for word, there in others.items() if there))


def _length(order: Order, made: Path, found: Found, reached: float, most: int) -> float:
    """How long what was made is. Raises Faulty where the source was longer than it told, or ended before."""
    told = _asked(order.ffprobe, probing("mov", made)).get("format", {}).get("duration")
    duration = _seconds(told) or reached
    if duration > order.duration + 0.5:  # of the second that was read beyond
        raise Faulty(_too_long(order))
    if most and made.stat().st_size >= most:
        raise Faulty("What would come of this file is larger than is taken.")
    if found.duration and found.container.knows_its_length and duration < found.duration * 0.95 - 0.5:
        raise Faulty(DAMAGED)
    return round(duration, 3)


def _run(command: list[str], duration: float | None) -> float:
    """Run ffmpeg to its end, telling how far it is; the seconds that it wrote.

    Raises Faulty where it cannot read the file, Unavailable where it was killed.
    """
    reached = 0.0
    with subprocess.Popen(  # noqa: S603 - the operator's own program
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        for reached in _reached(process.stdout or ()):
            if duration:
                say(min(1.0, reached / duration), f"{reached:.0f} of {duration:.0f} seconds")
    if process.returncode < 0:
        raise Unavailable(f"ffmpeg was killed by signal {-process.returncode}.")
    if process.returncode:
        raise Faulty(DAMAGED)
    return reached


def _reached(lines: Iterable[bytes]) -> Iterator[float]:
    """The seconds that the lines of `-progress` tell of."""
    for line in lines:
        name, _, value = line.partition(b"=")
        if name == b"out_time_us" and value.strip().isdigit():
            yield int(value) / 1_000_000
