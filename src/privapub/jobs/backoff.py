"""How long a failed job waits before it is tried again. Pure."""


def wait(failures: int, chance: float) -> float:
    """Seconds after failure number `failures` (from 1); `chance`, from 0 to 1, places it within the jitter."""
    base = failures**4 + 15.0
    return base + chance * max(10.0 * (failures + 1), base / 10)
