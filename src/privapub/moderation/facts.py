"""What happened to reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportFiled:
    """A persona reported somebody elsewhere, and their server is to hear of it: a Flag is to be sent."""

    report_id: int
