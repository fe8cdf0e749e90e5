"""Every case of the folder, replayed as it is written, once on each database."""

import pytest

from cases import (
    addresses,
    attached,
    cards,
    endless,
    fetching,
    given,
    hostile,
    isolated,
    listed,
    not_yet,
    on_answers,
    on_deliveries,
    on_state,
    on_text,
    own,
    said_twice,
    signing,
    uploads,
)
from cases.folder import Case, every
from cases.play import Play, begin, sentences
from cases.words import NotBuilt, Unknown
from cases.worlds import Worlds

VOCABULARY = (
    addresses,
    endless,
    fetching,
    hostile,
    isolated,
    listed,
    on_answers,
    on_deliveries,
    on_state,
    on_text,
    attached,
    cards,
    said_twice,
    signing,
    uploads,
)  # which teach the sentences


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id, marks=pytest.mark.case(case.id)) for case in every()])
async def test_case(case: Case, worlds: Worlds, request: pytest.FixtureRequest) -> None:
    reason = not_yet.CASES.get(case.id)
    try:
        waits = await replayed(case, worlds)
    except Exception as error:
        waiting = not_yet.KINDS.get(case.kind) if isinstance(error, Unknown | NotBuilt) else None
        if reason and reason in str(error):
            pytest.xfail(reason)
        if not reason and waiting:
            pytest.xfail(waiting)
        raise
    assert not reason, f"{case.id} passes now: take it off the table in not_yet.py"
    if case.id in own.FINGERPRINTS:
        request.node.user_properties.remove(("case", case.id))  # the verdict is that of its own tests
    request.node.user_properties += [("waits", each) for each in waits]


async def replayed(case: Case, worlds: Worlds) -> list[str]:
    """All its runs; what parts of it wait for. Raises Unknown, NotBuilt, or whatever did not hold."""
    if case.strange:
        raise Unknown("member", case.strange[0])
    if not case.must:
        raise Unknown("case", "one that expects nothing")
    if known := own.FINGERPRINTS.get(case.id):
        assert case.fingerprint == known, f"its own tests were written for another text than {case.fingerprint}"
        return []
    waits: list[str] = []
    for name, values in case.runs():
        async with worlds(**given.settings(values)) as world:
            play = Play(case, name, values, world, waits)
            await begin(play)
            await given.do(play, sentences(play))
    return sorted(set(waits))
