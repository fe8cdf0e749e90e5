"""What is a film or a sound is told by bytes."""

import pytest

from privapub.media import sniff_film
from privapub.media.sniff_film import FLAC, MATROSKA, MP3, MP4, OGG, WAV, Container, container

MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # 128 kbit/s at 44.1 kHz: 417 bytes
EBML = b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82"


def id3(size: int, *, foot: bool = False) -> bytes:
    """The head of an ID3 tag, and the tag."""
    length = bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\x00" + (b"\x10" if foot else b"\0") + length + b"x" * size + (b"3DI" + bytes(7) if foot else b"")


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"\0\0\0\x20ftypisom\0\0\2\0isomiso2", MP4),
        (b"\0\0\0\x20ftypM4A \0\0\2\0isomiso2", MP4),
        (b"\0\0\0\x14ftypqt  \0\0\2\0qt  ", MP4),
        (b"\0\0\0\x08wide\0\0\x10\0mdat", MP4),
        (EBML + b"\x84webm", MATROSKA),
        (EBML + b"\x88matroska", MATROSKA),
        (b"OggS\0\2" + bytes(20), OGG),
        (b"fLaC\0\0\0\x22", FLAC),
        (id3(300) + b"fLaC\0\0\0\x22", FLAC),
        (b"RIFF\x24\0\0\0WAVEfmt ", WAV),
        (MP3_FRAME * 3, MP3),
        (MP3_FRAME, MP3),
        (id3(300) + MP3_FRAME * 2, MP3),
        (id3(30, foot=True) + id3(20) + MP3_FRAME * 2, MP3),
        (id3(100) + bytes(64) + MP3_FRAME * 2, MP3),
        (id3(100_000)[: sniff_film.HEAD], MP3),
    ],
)
def test_films_and_sounds_are_known(head: bytes, found: Container) -> None:
    assert container(head) == found


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"I",
        b"ID3",
        b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        id3(20) + b"#EXTM3U\nhttp://127.0.0.1/\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
        b"<?xml version='1.0'?><MPD></MPD>",
        b"\0\0\0\x20ftypavif\0\0\0\0mif1avif",
        b"\0\0\0\x20ftypheic\0\0\0\0mif1heic",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0\0\x10JFIF",
        b"RIFF\x24\0\0\0WEBPVP8 ",
        EBML + b"\x84docx",
        b"ID3\x04\0\0\xff\xff\xff\xff" + MP3_FRAME,
        MP3_FRAME[:417] + b"then something else",
        b"\xff\xf1\x50\x80" + bytes(100),
        b"GIF89a",
        b"%PDF-1.7",
    ],
)
def test_whatever_else_is_none(head: bytes) -> None:
    assert container(head) is None


def test_a_container_is_found_by_its_demuxer() -> None:
    assert {sniff_film.BY_DEMUXER[name].demuxer for name in sniff_film.BY_DEMUXER} == set(sniff_film.BY_DEMUXER)
