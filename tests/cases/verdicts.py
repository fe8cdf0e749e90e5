"""The table of cases that a run of the tests ends with: kind by passed, failed, not yet.

A plugin of pytest: the tests of a case carry its id in a property of their reports, which come to the process that
writes the end of the run from wherever the tests ran.
"""

from collections import defaultdict

import pytest

PASSED, FAILED, NOT_YET = "passed", "failed", "not yet"


def verdict(outcomes: set[str]) -> str:
    """One of a case, from what became of its tests."""
    return next(each for each in (FAILED, NOT_YET, PASSED) if each in outcomes)


def _outcome(report: pytest.TestReport) -> str | None:
    if hasattr(report, "wasxfail"):
        return NOT_YET if report.skipped else PASSED
    if report.failed:
        return FAILED
    return PASSED if report.passed and report.when == "call" else None


def table(verdicts: dict[str, str]) -> list[str]:
    """The lines of the table, from the verdict on each case by its id."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys((PASSED, FAILED, NOT_YET), 0))
    for case, said in verdicts.items():
        for kind in (case.partition("/")[0], "all"):
            counts[kind][said] += 1
    kinds = [*sorted(set(counts) - {"all"}), *sorted(set(counts) & {"all"})]
    rows = [("cases", PASSED, FAILED, NOT_YET), *((kind, *map(str, counts[kind].values())) for kind in kinds)]
    return [f"{kind:<12}" + "".join(f"{cell:>9}" for cell in cells) for kind, *cells in rows]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write it, where any test of a case ran."""
    outcomes: dict[str, set[str]] = defaultdict(set)
    reasons: dict[str, str] = {}
    waits: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            said = _outcome(report) if isinstance(report, pytest.TestReport) else None
            properties = report.user_properties if said else []
            for case in [value for name, value in properties if name == "case"]:
                outcomes[case].add(str(said))
                waits[case] |= {value for name, value in properties if name == "waits"}
                if said == NOT_YET:
                    reasons[case] = report.wasxfail.removeprefix("reason: ")
    if not outcomes:
        return
    verdicts = {case: verdict(found) for case, found in sorted(outcomes.items())}
    terminalreporter.section("cases")
    for line in table(verdicts):
        terminalreporter.write_line(line)
    for case, said in verdicts.items():
        if said != PASSED:
            terminalreporter.write_line(f"{said}: {case}" + (f", {reasons[case]}" if said == NOT_YET else ""))
        else:
            for part in sorted(waits[case]):
                terminalreporter.write_line(f"passed but for a part: {case}, which waits for {part}")
