"""Custom emojis: added, replaced, taken away, found in what is typed."""

import pytest

from privapub.database.connect import Database
from privapub.emojis import keep
from privapub.emojis.keep import Emoji
from privapub.errors import InvalidInput, NotFound


def smile(shortcode: str = "smile", file: str = "one.webp", category: str = "") -> Emoji:
    return Emoji(shortcode, file, "image/webp", 100, category, 5.0)


async def test_what_is_added_is_there_until_it_is_taken_away(database: Database) -> None:
    async with database.write() as tx:
        assert await keep.add(tx, smile()) is None
        assert await keep.add(tx, smile("Smile", "two.webp", "faces")) is None
        assert await keep.listed(tx) == [smile(), smile("Smile", "two.webp", "faces")]
        assert await keep.add(tx, smile(file="three.webp")) == "one.webp"
        assert await keep.remove(tx, "smile") == "three.webp"
        assert [one.shortcode for one in await keep.listed(tx)] == ["Smile"]
        with pytest.raises(NotFound):
            await keep.remove(tx, "smile")


@pytest.mark.parametrize("name", ["", "a", "a b", ":ab:", "ä_b", "a" * 65, "ab\n", 'a"><b>'])
async def test_a_name_that_no_text_could_hold_is_refused(database: Database, name: str) -> None:
    with pytest.raises(InvalidInput):
        async with database.write() as tx:
            await keep.add(tx, smile(name))


async def test_there_are_no_more_than_so_many(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep, "MOST", 1)
    async with database.write() as tx:
        await keep.add(tx, smile())
        assert await keep.add(tx, smile(file="two.webp")) == "one.webp"
        with pytest.raises(InvalidInput):
            await keep.add(tx, smile("other"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (":b_1: and :a1: and :b_1:", ["b_1", "a1"]),
        ("no:a1:no ::a1:: :A1: :zz: at 12:a1:30", []),
        ("(:a1:) ,:b_1:.", ["a1", "b_1"]),
        (":a1:\n:b_1:", ["a1", "b_1"]),
    ],
)
async def test_names_are_found_in_the_order_of_their_use(database: Database, text: str, found: list[str]) -> None:
    async with database.write() as tx:
        await keep.add(tx, smile("a1"))
        await keep.add(tx, smile("b_1", "two.webp"))
        assert [one.shortcode for one in await keep.within(tx, [text])] == found
