"""What happened to reports and to the rules about domains."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportFiled:
    """A persona reported somebody elsewhere, and their server is to hear of it: a Flag is to be sent."""

    report_id: int


@dataclass(frozen=True)
class DomainRuled:
    """A rule for this domain was made, changed or taken away: what is kept of its hosts may be too much now."""

    domain: str
