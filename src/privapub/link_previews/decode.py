"""The bytes of a page as text, as browsers decode them; a guess where nobody says how (pure)."""

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes

# What a page may say that it is (the labels of the Encoding standard), and the decoder of Python that reads it.
_DECODERS = {
    "utf-8": "utf-8", "utf8": "utf-8", "unicode-1-1-utf-8": "utf-8",
    # Many say one of the first two and mean the third, which has more signs.
    "us-ascii": "cp1252", "ascii": "cp1252", "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin1": "cp1252",
    "latin-1": "cp1252", "windows-1252": "cp1252", "cp1252": "cp1252", "x-cp1252": "cp1252",
    "iso-8859-9": "cp1254", "latin5": "cp1254", "windows-1254": "cp1254", "cp1254": "cp1254",
    **{f"iso-8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-{n}": f"cp{n}" for n in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    **{f"cp{n}": f"cp{n}" for n in (1250, 1251, 1253, 1255, 1256, 1257, 1258)},
    "latin2": "iso8859-2", "ibm866": "cp866", "cp866": "cp866", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    "macintosh": "mac-roman", "windows-874": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb18030": "gb18030",
    "big5": "big5hkscs", "big5-hkscs": "big5hkscs",
    "euc-jp": "euc_jp", "x-euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "shift_jis": "cp932", "shift-jis": "cp932",
    "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932", "ms932": "cp932",
    "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "windows-949": "cp949",
    "utf-16": "utf-16-le", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be",
}  # fmt: skip
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Of two runs of spaces side by side each way to share them would be tried, for seconds in which nobody else goes on:
# the second begins with a mark.
_IN_HEADER = re.compile(r";\s*charset\s*=\s*(?:[\"']\s*)?([\w.:-]{1,40})", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<meta[^>]{0,500}?charset\s*=\s*(?:[\"']\s*)?([\w.:-]{1,40})"
    rb"|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
_LOOKED_AT = 16 * 1024  # for what the page says of itself: more than browsers, since some put much before it
_GUESSED_FROM = 4 * 1024


def decode(body: bytes, content_type: str) -> str:
    """The text of a page: by its byte order mark, the header, what it says of itself, or a guess.

    What was said and is not so is passed over; where all of that fails, signs that cannot be read become U+FFFD.
    """
    said = list(_said(body, content_type))
    for name in (*said, "utf-8"):
        text = _strict(body, name)
        if text is not None:
            return text
    return body.decode(said[0] if said else _guess(body), "replace").removeprefix("\ufeff")


def _said(body: bytes, content_type: str) -> Iterator[str]:
    yield from (name for mark, name in _MARKS if body.startswith(mark))
    header = _IN_HEADER.search(content_type)
    if header is not None and (name := _DECODERS.get(header[1].lower())):
        yield name
    page = _IN_PAGE.search(body[:_LOOKED_AT])
    if page is not None and (name := _DECODERS.get((page[1] or page[2]).decode("ascii", "replace").lower())):
        # A page that could be read so far is not of two bytes for each sign.
        yield "utf-8" if name.startswith("utf-16") else name


def _strict(body: bytes, name: str) -> str | None:
    """The text if every sign can be read, but for one that is cut off at the end."""
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(body).removeprefix("\ufeff")
    except UnicodeError:
        return None


def _guess(body: bytes) -> str:
    # The markup says nothing of the language, and there is more of it than of text.
    found = from_bytes(re.sub(rb"<[^<>]*>", b" ", body[:_LOOKED_AT])[:_GUESSED_FROM]).best()
    return "cp1252" if found is None or found.encoding.startswith(("utf", "ascii")) else found.encoding
