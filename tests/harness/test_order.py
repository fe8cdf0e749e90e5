"""The order of the tests is another one for each seed, and the same one in every process of a run."""

import asyncio
import os
import sys

import anyio

from rules.house import ROOT


async def collected(seed: int, hashes: int) -> list[str]:
    """The names of all tests, in the order in which a process with this seed would run them."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", f"--randomly-seed={seed}"),
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hashes)},
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()[-2000:]
    return [line for line in said.decode().splitlines() if "::" in line]


async def test_the_order_is_the_seed_s_alone() -> None:
    with anyio.fail_after(240):
        one, other = await asyncio.gather(collected(1, 1), collected(1, 2))
    assert len(one) > 500
    assert one == other
    assert len(set(one)) == len(one)
    files = [name.partition("::")[0] for name in one]
    assert files != sorted(files), "it is no order that one would find by looking"
