"""Finding posts by their words: an index beside the posts, of FTS5 on SQLite and of a tsvector on PostgreSQL.

What is in it is decided here, and who finds it by whoever searches (`search`). Words are cut here and not by the
databases, so that both find the same: in any case, and sign by sign where a script has no spaces.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import BigInteger, bindparam, column, select, text
from sqlalchemy.sql.expression import TextualSelect

from privapub.database.transaction import Transaction
from privapub.markup.text import text_of
from privapub.posts.poll_read import of_posts as polls_of
from privapub.posts.tables import post

LONGEST = 50_000  # characters of a post
MOST_WORDS, LONGEST_WORD = 5000, 100
MOST_PHRASES = 20
# An underscore joins what it stands between, as Unicode cuts words (UAX 29, ExtendNumLet): a hashtag is one word.
_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PHRASE = re.compile(r'"([^"]*)"|(\S+)')
# Signs of scripts that put no spaces between words.
_ALONE = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_ROW = select(post.c.content, post.c.summary, post.c.attachments, post.c.kind).where(
    post.c.id == bindparam("id"), post.c.deleted_at.is_(None)
)
_IS_WANTED = """
SELECT 1 FROM post p JOIN actor a ON a.id = p.author_id WHERE p.id = $1 AND (
    p.local OR (a.indexable AND p.audience = 'public')
    OR EXISTS (SELECT 1 FROM post_recipient r JOIN actor n ON n.id = r.actor_id WHERE r.post_id = p.id AND n.local)
    OR EXISTS (SELECT 1 FROM reaction r JOIN actor n ON n.id = r.actor_id WHERE r.post_id = p.id AND n.local)
    OR EXISTS (SELECT 1 FROM boost b JOIN actor n ON n.id = b.actor_id WHERE b.post_id = p.id AND n.local)
    OR EXISTS (SELECT 1 FROM bookmark b WHERE b.post_id = p.id)
)"""
_WANTED = {"sqlite": _IS_WANTED.replace("$1", "?1"), "postgresql": _IS_WANTED}
_DROP = {
    "sqlite": "DELETE FROM post_text WHERE rowid = ?1",
    "postgresql": "DELETE FROM post_text WHERE post_id = $1",
}
_DROP_ALL = {
    "sqlite": "DELETE FROM post_text WHERE rowid IN (SELECT e.value FROM json_each(?1) e)",
    "postgresql": "DELETE FROM post_text WHERE post_id = ANY($1::bigint[])",
}
_PUT = {
    "sqlite": "INSERT INTO post_text (rowid, words) VALUES (?1, ?2)",
    "postgresql": "INSERT INTO post_text (post_id, words) VALUES ($1, CAST(CAST($2 AS text) AS tsvector))",
}


_FIND = {
    "sqlite": text(
        "SELECT rowid AS post_id FROM post_text WHERE post_text MATCH :words ORDER BY rowid DESC LIMIT :most"
    ),
    "postgresql": text(
        "SELECT post_id FROM post_text WHERE words @@ CAST(CAST(:words AS text) AS tsquery) "
        "ORDER BY post_id DESC LIMIT :most"
    ),
}


async def keep(tx: Transaction, post_id: int) -> None:
    """The post is found by the words that it has now.

    One from elsewhere only where its author wants to be found, or somebody here is named by it or keeps it: what nobody
    could find is not looked after.
    """
    if not await tx.raw(_WANTED[tx.dialect], (post_id,)):
        return
    row = await tx.first(_ROW, id=post_id)
    if row is None:
        return
    polls = await polls_of(tx, [post_id]) if row.kind == "Question" else {}
    options = [option.name for each in polls.values() for option in each.options]
    files = [str(each.get("alt") or each.get("name") or "") for each in row.attachments]
    words = cut(row.summary, text_of(row.content), *files, *options)
    await tx.raw(_DROP[tx.dialect], (post_id,))
    if words:
        told = " ".join(words) if tx.dialect == "sqlite" else _tsvector(words)
        await tx.raw(_PUT[tx.dialect], (post_id, told))


async def drop(tx: Transaction, post_ids: Iterable[int]) -> None:
    """These posts are not found any more."""
    numbers = list(post_ids)
    if numbers:
        told: object = msgspec.json.encode(numbers).decode() if tx.dialect == "sqlite" else numbers
        await tx.raw(_DROP_ALL[tx.dialect], (told,))


def found(dialect: str, query: str, most: int) -> TextualSelect | None:
    """The numbers (`post_id`) of the newest posts that have all the words of a query; None for a query without any.

    Words between quotation marks stand one after the other. At most `most`, newest first.
    """
    phrases = [words for each in _PHRASE.finditer(query[:LONGEST]) if (words := cut(each[1] or each[2] or ""))]
    if not phrases:
        return None
    if dialect == "sqlite":
        asked = " ".join(f'"{" ".join(each)}"' for each in phrases[:MOST_PHRASES])
    else:
        asked = " & ".join("(" + " <-> ".join(f"'{word}'" for word in each) + ")" for each in phrases[:MOST_PHRASES])
    return _FIND[dialect].bindparams(words=asked, most=most).columns(column("post_id", BigInteger))


def cut(*texts: str) -> list[str]:
    """The words of texts, folded (pure)."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", "\n".join(texts)[:LONGEST]).casefold())
    return [word[:LONGEST_WORD] for word in _WORD.findall(_ALONE.sub(r" \1 ", folded))[:MOST_WORDS]]


def _tsvector(words: Sequence[str]) -> str:
    return " ".join(f"'{word}':{place}" for place, word in enumerate(words, 1))
