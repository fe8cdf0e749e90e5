"""How the tests of the door ask it."""

import pytest

from privapub import scope
from privapub.outbound.answers import ACTIVITY_ACCEPT, ACTIVITY_TYPES, Answer, FetchProblem
from privapub.outbound.client import Door


async def get(door: Door, url: str, **more: object) -> Answer:
    with scope.purpose("object"), scope.trigger("inbox"):
        wanted = {"accept": ACTIVITY_ACCEPT, "content_types": ACTIVITY_TYPES, **more}
        return await door.get(url, **wanted)  # type: ignore[arg-type]  # each test knows what it asks for


async def problem(door: Door, url: str, **more: object) -> FetchProblem:
    with pytest.raises(FetchProblem) as caught:
        await get(door, url, **more)
    return caught.value


async def reason(door: Door, url: str, **more: object) -> str:
    return (await problem(door, url, **more)).reason
