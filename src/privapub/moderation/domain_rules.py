"""Which rule decides about a host, and what it says (pure).

A rule for `example.com` is about that host and all below it; one for `*.example.com` only about those below. The most
precise rule decides alone: what is allowed below a blocked domain is allowed, with nothing left of the wider rule.
Where only allowed hosts may be spoken with, every host is blocked about which no rule says `allow`: none of the other
words lets anybody in.

To decide takes one look-up for each label of a host, however many rules there are.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from privapub.errors import InvalidInput
from privapub.outbound import target

Severity = Literal["allow", "none", "limit", "block"]
# allow: as if there were no rule, and in contact where only allowed hosts are. none: it does nothing but reject.
ALLOW, NONE, LIMIT, BLOCK = "allow", "none", "limit", "block"
SEVERITIES: tuple[Severity, ...] = ("allow", "none", "limit", "block")

Standing = Literal["open", "limited", "blocked"]
OPEN, LIMITED, BLOCKED = "open", "limited", "blocked"
_WORSE: tuple[Standing, ...] = ("open", "limited", "blocked")
_STANDINGS: Mapping[str, Standing] = {"allow": "open", "none": "open", "limit": "limited", "block": "blocked"}

ANY = "*."
COMMENT_LENGTH = 2000


@dataclass(frozen=True)
class Rule:
    """What is said of a domain: `domain` as `spelled_domain` gives it. Admins alone read the private comment."""

    domain: str
    severity: Severity
    reject_media: bool = False
    reject_reports: bool = False
    public_comment: str = ""
    private_comment: str = ""
    obfuscate: bool = False  # where rules are shown to the public, the name is not spelled out

    @property
    def top(self) -> str:
        """The domain without its wildcard: the rule is about it, or about what is below it."""
        return self.domain.removeprefix(ANY)

    def covers(self, host: str) -> bool:
        """Whether it is about this host, though another rule may be more precise."""
        below = host.endswith("." + self.top)
        return below or (host == self.top and not self.domain.startswith(ANY))


@dataclass(frozen=True)
class Decision:
    """How a host stands, by which rule (None: by none of them), and a sentence that says why."""

    host: str
    standing: Standing
    rule: Rule | None
    why: str
    takes_media: bool
    takes_reports: bool


class Rules:
    """All rules of an installation at one moment."""

    def __init__(
        self, rules: Iterable[Rule] = (), *, only_allowed: bool = False, ours: Collection[str] = frozenset()
    ) -> None:
        """Rules of different domains; `ours` are the hosts of this server, which no rule is about."""
        self.only_allowed = only_allowed
        self._by_domain = {rule.domain: rule for rule in rules}
        self._ours = frozenset(ours)

    def decide(self, host: str) -> Decision:
        """What is to be done with a host, given in its one spelling (`outbound.host`)."""
        if host in self._ours:
            return Decision(host, "open", None, "it is this server itself", takes_media=True, takes_reports=True)
        rule = self.rule_for(host)
        if self.only_allowed and (rule is None or rule.severity in ("none", "limit")):
            why = "only hosts that are allowed are spoken with, and no rule allows it"
            return Decision(host, "blocked", None, why, takes_media=False, takes_reports=False)
        if rule is None:
            return Decision(host, "open", None, "no rule is about it", takes_media=True, takes_reports=True)
        standing = _STANDINGS[rule.severity]
        in_contact = standing != BLOCKED
        return Decision(
            host,
            standing,
            rule,
            _why(rule, host),
            takes_media=in_contact and not rule.reject_media,
            takes_reports=in_contact and not rule.reject_reports,
        )

    def rule_for(self, host: str) -> Rule | None:
        """The most precise rule about a host."""
        for domain in domains_of(host):
            rule = self._by_domain.get(domain)
            if rule is not None:
                return rule
        return None

    def standing(self, hosts: Iterable[str]) -> Standing:
        """How somebody stands to whom all these hosts belong: as the worst of them."""
        return max((self.decide(host).standing for host in hosts), key=_WORSE.index, default="open")

    def refuses(self, host: str) -> str | None:
        """Why nothing is asked of a host, sent to it or taken from it; None where it is."""
        decision = self.decide(host)
        return decision.why if decision.standing == BLOCKED else None

    def takes_media(self, host: str) -> bool:
        """Whether pictures and the like of this host are fetched and shown."""
        return self.decide(host).takes_media

    def takes_reports(self, host: str) -> bool:
        """Whether reports from this host are taken."""
        return self.decide(host).takes_reports


def domains_of(host: str) -> list[str]:
    """The domains whose rules are about a host, the most precise first."""
    found = [host]
    at = host.find(".")
    while at >= 0:
        rest = host[at + 1 :]
        found += [ANY + rest, rest]
        at = host.find(".", at + 1)
    return found


def spelled_domain(text: str) -> str:
    """A domain as rules are kept under: a host in its one spelling, or `*.` and one. InvalidInput for what is none.

    Anything that leads to a host may stand for it: another case, letters of any script, a port, dots at the end.
    """
    name = text.strip()
    wildcard = name.startswith(ANY)
    name = name.removeprefix(ANY)
    # An IPv6 address is kept, and so shown, without brackets.
    place = f"[{name}]" if name.count(":") > 1 and "[" not in name else name
    host = "" if any(letter in name for letter in "/?#@\\*") else target.host_of(f"https://{place}/")
    if not host or (wildcard and (":" in host or host[-1].isdigit())) or ".." in host or host.startswith("."):
        raise InvalidInput(f"{text!r} is no domain.", "Write it as in example.org or *.example.org.")
    return ANY + host if wildcard else host


def _why(rule: Rule, host: str) -> str:
    says = {
        "allow": "it is allowed",
        "none": "nothing is done about it but what the rule rejects",
        "limit": "it is limited",
        "block": "it is blocked",
    }[rule.severity]
    how = "" if rule.domain == host else f", which is about all below {rule.top}"
    return f"{says} by the rule for {rule.domain}{how}"
