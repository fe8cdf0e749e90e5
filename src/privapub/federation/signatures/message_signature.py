"""RFC 9421 (HTTP Message Signatures): as much of it as signs a request.

Derived components and whole header fields are read; the parameters `sf`, `key`, `bs`, `tr` and `req` are refused, since
nobody sends them between servers and each is one more way to say the same thing differently.
"""

import json

from privapub.federation.signatures import components, structured
from privapub.federation.signatures.claim import (
    LONGEST_SIGNATURE_FIELD,
    Presented,
    checked_covered,
    checked_key_id,
    malformed,
    not_covered,
)
from privapub.federation.signatures.request import BadSignature, HttpRequest

ALGORITHMS = {"rsa-v1_5-sha256": "rsa", "ed25519": "ed25519", None: None}
"""Each name that may be claimed, and the kind of key it needs (None: any)."""

MOST_LABELS = 8
_QUERY_PARAMETER = "@query-param;name="


def is_present(request: HttpRequest) -> bool:
    """Whether the request presents a signature of this scheme."""
    return request.header("signature-input") is not None


def read_all(request: HttpRequest) -> tuple[Presented, ...]:
    """Every signature that the request presents, whatever it covers, in the order of `Signature-Input`.

    Labels whose input cannot be used are left out where another can; BadSignature where none is left.
    """
    inputs = _dictionary(request.header("signature-input"))
    # A second line may hold a signature of the older scheme.
    lines = [line for line in request.lines("signature") if not line.lower().startswith("keyid=")]
    signatures = _dictionary(", ".join(lines) if lines else None)
    if len(inputs) > MOST_LABELS or len(signatures) > MOST_LABELS:
        raise malformed()
    found: list[Presented] = []
    refusal = BadSignature("no-signature", "This request is not signed.")
    for label, member in inputs.items():
        try:
            found.append(_read(label, member, signatures))
        except BadSignature as error:
            refusal = error
    if not found:
        raise refusal
    return tuple(found)


def require(presented: Presented, request: HttpRequest) -> None:
    """Refuse what does not bind method, target, host, time and (where there may be content) its digest.

    Also an algorithm that is not accepted here.
    """
    if presented.algorithm not in ALGORITHMS:
        raise BadSignature("wrong-algorithm", "The signature of this request uses an algorithm that is not accepted.")
    covered = set(presented.covered)
    if "@method" not in covered:
        raise not_covered("method")
    path = "@path" in covered and ("@query" in covered or not request.target.query)
    if not path and not covered & {"@target-uri", "@request-target"}:
        raise not_covered("target")
    if not covered & {"@target-uri", "@authority", "host"}:
        raise not_covered("host")
    if presented.created is None and "date" not in covered:
        raise not_covered("time")
    if not request.bodiless and not covered & {"digest", "content-digest"}:
        raise not_covered("digest")


def bases(presented: Presented, request: HttpRequest) -> tuple[bytes, ...]:
    """The signature bases that the sender may have signed (section 2.5): one, or two where `host` has two forms."""
    if "host" not in presented.covered:
        return (base(presented.covered, presented.parameters, request),)
    return tuple(base(presented.covered, presented.parameters, request, host) for host in components.hosts(request))


def base(covered: tuple[str, ...], parameters: str, request: HttpRequest, host: str | None = None) -> bytes:
    """The signature base over this list (section 2.5); `parameters` is the text of `@signature-params`."""
    lines = [f"{_identifier(name)}: {_value(name, request, host)}" for name in covered]
    lines.append(f'"@signature-params": {parameters}')
    try:
        return "\n".join(lines).encode("ascii")
    except UnicodeEncodeError as error:
        raise malformed() from error


def parameters(covered: tuple[str, ...], **named: structured.Bare) -> str:
    """The text of `@signature-params` for these components and parameters, in their order."""
    inner = "(" + " ".join(_identifier(name) for name in covered) + ")"
    return inner + "".join(f";{name}={structured.write_bare(value)}" for name, value in named.items())


def _identifier(name: str) -> str:
    bare, semicolon, rest = name.partition(";")
    return f'"{bare}"{semicolon}{rest}'


def _value(name: str, request: HttpRequest, host: str | None) -> str:
    if name in components.DERIVED:
        return components.derived(request, name)
    if name.startswith(_QUERY_PARAMETER):
        return components.query_parameter(request, json.loads(name.removeprefix(_QUERY_PARAMETER)))
    if name == "host" and host is not None:
        return host
    return components.field(request, name)


def _dictionary(text: str | None) -> dict[str, structured.Member]:
    if text is None:
        raise BadSignature("no-signature", "This request is not signed.")
    if len(text) > LONGEST_SIGNATURE_FIELD:
        raise malformed()
    try:
        return structured.read_dictionary(text)
    except structured.Malformed as error:
        raise malformed() from error


def _read(label: str, member: structured.Member, signatures: dict[str, structured.Member]) -> Presented:
    signature = signatures.get(label)
    if not isinstance(member, structured.InnerList) or not isinstance(signature, structured.Item):
        raise malformed()
    if not isinstance(signature.value, bytes) or not signature.value:
        raise malformed()
    named = dict(member.parameters)
    algorithm = named.get("alg")
    if algorithm is not None and type(algorithm) is not str:
        raise malformed()
    return Presented(
        scheme="rfc9421",
        key_id=checked_key_id(named.get("keyid")),
        algorithm=algorithm,
        covered=checked_covered(tuple(_component(item) for item in member.items)),
        created=_moment(named.get("created")),
        expires=_moment(named.get("expires")),
        signature=signature.value,
        label=label,
        parameters=structured.write(member),
    )


def _component(item: structured.Item) -> str:
    """The name of a component that can be read here, with its parameter as it is written."""
    name = item.value
    if type(name) is not str:
        raise malformed()
    if name == "@query-param" and [key for key, _ in item.parameters] == ["name"]:
        if type(item.parameters[0][1]) is not str:
            raise malformed()
        return name + ";name=" + structured.write_bare(item.parameters[0][1])
    if item.parameters or not (name in components.DERIVED or components.is_field_name(name)):
        raise BadSignature(
            "unsupported-component", "The signature of this request covers something that cannot be checked here."
        )
    return name


def _moment(value: structured.Bare | None) -> float | None:
    if value is None:
        return None
    if type(value) is not int:
        raise malformed("signed time")
    return float(value)
