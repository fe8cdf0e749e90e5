"""Which container of film or sound a file is, by its first bytes (pure).

Names and declared types say nothing here. What is found decides by which one demuxer ffmpeg reads the file, so that it
never guesses: playlists, lists of other files and text are no containers, whatever they are called.
"""

from dataclasses import dataclass

HEAD = 64 * 1024  # bytes of a file that are enough to tell

# Boxes with which QuickTime files older than `ftyp` begin, and the brands of ISO 14496-12 that are pictures.
_OLD_BOXES = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
_PICTURE_BRANDS = frozenset({b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_EBML, _DOC_TYPE = b"\x1aE\xdf\xa3", b"\x42\x82"

# MPEG audio, layer III (ISO 11172-3, 13818-3): kbit/s by index for version 1, and for versions 2 and 2.5.
_BIT_RATES = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_SAMPLE_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


@dataclass(frozen=True)
class Container:
    """What a file is called among people, and the demuxer of ffmpeg that reads it."""

    name: str
    demuxer: str
    knows_its_length: bool  # whether the length that it tells is exact, so that a file that ends before is cut off


MP4 = Container("MP4", "mov", knows_its_length=True)
MATROSKA = Container("WebM or Matroska", "matroska", knows_its_length=True)
OGG = Container("Ogg", "ogg", knows_its_length=False)
MP3 = Container("MP3", "mp3", knows_its_length=False)
FLAC = Container("FLAC", "flac", knows_its_length=True)
WAV = Container("WAV", "wav", knows_its_length=True)
_MAGIC = {_EBML: MATROSKA, b"OggS\0": OGG, b"fLaC": FLAC}
BY_DEMUXER = {each.demuxer: each for each in (MP4, MATROSKA, OGG, MP3, FLAC, WAV)}


def container(head: bytes) -> Container | None:
    """What begins with these bytes (HEAD of them, or all there are); None for whatever is no film or sound."""
    for magic, found in _MAGIC.items():
        if head.startswith(magic):
            return found if found is not MATROSKA or _is_matroska(head) else None
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return WAV
    if head[4:8] in _OLD_BOXES or (head[4:8] == b"ftyp" and head[8:12] not in _PICTURE_BRANDS):
        return MP4
    return _after_id3(head)


def _is_matroska(head: bytes) -> bool:
    """Whether the EBML header's document type (RFC 8794, 11.2.6) is one of Matroska's."""
    at = head.find(_DOC_TYPE, 4, 128)
    value = head[at + 3 : at + 11] if at > 0 else b""
    return value.startswith((b"webm", b"matroska"))


def _after_id3(head: bytes) -> Container | None:
    """What stands behind the ID3 tags that may come first; where they reach beyond `head`, it can only be an MP3."""
    at = 0
    while head[at : at + 3] == b"ID3" and len(head) >= at + 10:
        size = head[at + 6 : at + 10]
        if any(byte > 0x7F for byte in size):
            return None
        foot = 10 if head[at + 5] & 0x10 else 0
        at += 10 + foot + (size[0] << 21 | size[1] << 14 | size[2] << 7 | size[3])
    rest = head[at:].lstrip(b"\0") if at else head  # padding that a tag does not count
    if at and rest.startswith(b"fLaC"):
        return FLAC
    return MP3 if _is_mp3(rest) or (at and not rest) else None


def _is_mp3(head: bytes) -> bool:
    """Whether a frame of layer III is followed by another one, or is all there is."""
    length = _frame_length(head)
    return length > 0 and (len(head) <= length or _frame_length(head[length : length + 4]) > 0)


def _frame_length(head: bytes) -> int:
    """The length in bytes of the frame that begins here; 0 where none does."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:  # the sync, and layer III
        return 0
    version, rate, sampled = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if version == 1 or not 0 < rate < 15 or sampled == 3:
        return 0
    first = version == 3
    slots = 144 if first else 72
    return slots * _BIT_RATES[first][rate] * 1000 // _SAMPLE_RATES[version][sampled] + (head[2] >> 1 & 1)
