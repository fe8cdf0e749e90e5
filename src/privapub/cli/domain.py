"""`privapub domain …`: with which servers there is contact, and how."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.actors import standing
from privapub.cli.opened import with_server
from privapub.cli.options import Json, Limit
from privapub.cli.output import lines, say, table
from privapub.effects.clean_domain import AFTER
from privapub.errors import InvalidInput
from privapub.follows import domains
from privapub.follows.domains import Ties
from privapub.moderation import rules
from privapub.moderation.domain_rules import ALLOW, BLOCK, BLOCKED, LIMIT, SEVERITIES, Rule, spelled_domain
from privapub.moderation.gate import own_hosts
from privapub.server import Server

app = typer.Typer(name="domain", help="With which servers there is contact, and how.", no_args_is_help=True)

Domain = Annotated[
    str, typer.Argument(metavar="HOST", help="Such as example.org, with all below it; *.example.org: only those below.")
]
Public = Annotated[str | None, typer.Option("--public", help="Why, for everybody.")]
Private = Annotated[str | None, typer.Option("--private", help="Why, for the admins here alone.")]
Media = Annotated[bool, typer.Option("--reject-media", help="Fetch and show none of its pictures and the like.")]
Reports = Annotated[bool, typer.Option("--reject-reports", help="Take no reports from it.")]
Obfuscate = Annotated[bool, typer.Option("--obfuscate", help="Do not spell its name out where rules are public.")]


def ours(server: Server) -> frozenset[str]:
    """This server's own hosts."""
    return own_hosts(server.base_url, server.domain, server.media_base_url)


@app.command()
def block(
    host: Domain, *, public: Public = None, private: Private = None, obfuscate: Obfuscate = False, as_json: Json = False
) -> None:
    """Have nothing to do with a domain: its posts are hidden at once, follows both ways are suspended.

    What is kept of it is deleted after an hour, but for what is also ours. It is told nothing.
    """
    _keep(Rule(spelled_domain(host), "block", obfuscate=obfuscate), public, private, as_json=as_json)


@app.command()
def limit(
    host: Domain,
    *,
    public: Public = None,
    private: Private = None,
    reject_media: Media = False,
    reject_reports: Reports = False,
    obfuscate: Obfuscate = False,
    as_json: Json = False,
) -> None:
    """Show what comes from a domain to those alone who follow its author."""
    rule = Rule(spelled_domain(host), "limit", reject_media, reject_reports, obfuscate=obfuscate)
    _keep(rule, public, private, as_json=as_json)


@app.command()
def allow(
    host: Domain,
    *,
    public: Public = None,
    private: Private = None,
    reject_media: Media = False,
    reject_reports: Reports = False,
    as_json: Json = False,
) -> None:
    """Speak with a domain: one below a blocked one, or any where PRIVAPUB_FEDERATION is allow-list."""
    _keep(Rule(spelled_domain(host), "allow", reject_media, reject_reports), public, private, as_json=as_json)


@app.command()
def reject(
    host: Domain,
    *,
    media: Annotated[bool, typer.Option("--media", help="Its pictures and the like.")] = False,
    reports: Annotated[bool, typer.Option("--reports", help="Its reports.")] = False,
    public: Public = None,
    private: Private = None,
    obfuscate: Obfuscate = False,
    as_json: Json = False,
) -> None:
    """Take no media or no reports from a domain, and all else as usual."""
    if not media and not reports:
        raise InvalidInput("There is nothing to reject.", "Say --media, --reports or both.")
    rule = Rule(spelled_domain(host), "none", media, reports, obfuscate=obfuscate)
    _keep(rule, public, private, as_json=as_json)


@app.command()
def remove(host: Domain, *, as_json: Json = False) -> None:
    """Take a rule away. Follows that a block suspended are as they were, and what was not deleted is shown again."""
    domain = spelled_domain(host)

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            rule = await domains.drop(tx, domain, clock.now())
            which = await standing.servers(tx, [rule])
            ties = domains.total(await domains.ties(tx), which)
            in_force = await rules.in_force(tx)
            still = [each for each in which if in_force.standing(each.hosts) == BLOCKED]
        return {"domain": domain, "was": as_data(rule), "follows": ties.follows, "still_blocked": len(still)}

    done = with_server(work)
    more = f" Another rule still blocks {done['still_blocked']} of its hosts." if done["still_blocked"] else ""
    text = f"There is no rule for {domain} any more. {_counted(done['follows'])} with it are in force.{more}"
    say(done, text, as_json=as_json)


@app.command(name="list")
def list_(
    *,
    severity: Annotated[str | None, typer.Option(help=f"Only those that say this: {', '.join(SEVERITIES)}.")] = None,
    limit: Limit = 1000,
    as_json: Json = False,
) -> None:
    """List the rules, by domain."""
    if severity is not None and severity not in SEVERITIES:
        raise InvalidInput(f"{severity!r} is no severity.", f"It may be {', '.join(SEVERITIES)}.")

    async def work(server: Server) -> tuple[list[Rule], bool]:
        async with server.database.read() as tx:
            return list(await rules.everything(tx)), (await rules.policy(tx))[1]

    found, only_allowed = with_server(work)
    found = sorted(found, key=lambda rule: (rule.top, rule.domain))
    rows = [as_data(rule) for rule in found if severity in (None, rule.severity)][:limit]
    columns = ["domain", "severity", "reject_media", "reject_reports", "public_comment", "private_comment"]
    text = table(rows, columns, "There is no rule.")
    if only_allowed:
        text = f"There is contact with allowed domains only (PRIVAPUB_FEDERATION).\n{text}"
    say(rows, text, as_json=as_json)


@app.command()
def check(host: Domain, *, as_json: Json = False) -> None:
    """Say which rule decides about a host, and why."""
    name = spelled_domain(host)
    if name.startswith("*"):
        raise InvalidInput(f"{host!r} is no host.", "Write one that is to be decided about, such as example.org.")

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.read() as tx:
            decision = (await rules.in_force(tx, ours(server))).decide(name)
            which = [each for each in await standing.servers(tx) if name in each.hosts]
            ties = domains.total(await domains.ties(tx), which)
        return {
            "host": name,
            "standing": decision.standing,
            "why": decision.why,
            "rule": None if decision.rule is None else as_data(decision.rule),
            "takes_media": decision.takes_media,
            "takes_reports": decision.takes_reports,
            **tied(ties),
        }

    found = with_server(work)
    rule = found["rule"]
    shown = found | {"rule": None if rule is None else f"{rule['domain']}: {rule['severity']}"}
    if rule is not None:
        shown |= {"public_comment": rule["public_comment"], "private_comment": rule["private_comment"]}
    say(found, lines(shown), as_json=as_json)


def as_data(rule: Rule) -> dict[str, Any]:
    """A rule as programs read it. Pure."""
    return {
        "domain": rule.domain,
        "severity": rule.severity,
        "reject_media": rule.reject_media,
        "reject_reports": rule.reject_reports,
        "public_comment": rule.public_comment,
        "private_comment": rule.private_comment,
        "obfuscate": rule.obfuscate,
    }


def tied(ties: Ties) -> dict[str, int]:
    """What there is between ours and others, as programs read it. Pure."""
    return {"followers": ties.followers, "following": ties.following, "suspended": ties.suspended}


def _keep(rule: Rule, public: str | None, private: str | None, *, as_json: bool) -> None:
    """Make a rule, or change the one there is; a comment that is not given stays."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            known = await rules.by_domain(tx, rule.domain)
            new = replace(
                rule,
                public_comment=public if public is not None else known.public_comment if known else "",
                private_comment=private if private is not None else known.private_comment if known else "",
            )
            covered = await standing.servers(tx, [new])
            before = domains.total(await domains.ties(tx), covered)
            await domains.keep(tx, [new], ours(server), clock.now())
            ties = await domains.ties(tx)
            which = domains.decided_by(await rules.in_force(tx), new, covered)
        return {
            "rule": as_data(new),
            "changed": known != new,
            "suspended_now": max(0, before.follows - domains.total(ties, covered).follows),
            **tied(domains.total(ties, which)),
        }

    done = with_server(work)
    say(done, _said(rule, done), as_json=as_json)


def _said(rule: Rule, done: dict[str, Any]) -> str:
    rejected = [word for word, so in (("media", rule.reject_media), ("reports", rule.reject_reports)) if so]
    but = f", but its {' and '.join(rejected)} are not taken" if rejected else ""
    if rule.severity == BLOCK:
        return (
            f"{rule.domain} is blocked: {_counted(done['suspended_now'])} suspended, what it wrote is hidden, and is "
            f"deleted from {clock.iso(clock.now() + AFTER)} on. `privapub domain remove {rule.domain}` undoes it."
        )
    if rule.severity == LIMIT:
        return f"{rule.domain} is limited: what comes from it is shown to those who follow its author{but}."
    if rule.severity == ALLOW:
        return f"{rule.domain} is allowed{but}."
    return f"Of {rule.domain} {' and '.join(rejected)} are not taken."


def _counted(number: int) -> str:
    return f"{number} follow{'' if number == 1 else 's'}"
