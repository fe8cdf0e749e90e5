"""Checking a signed request: first all that needs no key (`examine`), then the signature itself (`check`).

Names, bounds and words are those of `claim`; the two schemes stand in `message_signature` (RFC 9421) and `cavage`.
"""

from privapub import clock
from privapub.federation.signatures import cavage, message_signature
from privapub.federation.signatures.claim import Presented
from privapub.federation.signatures.digest import check_digest
from privapub.federation.signatures.keys import Hash, PublicKey
from privapub.federation.signatures.request import BadSignature, HttpRequest

__all__ = ["BadSignature", "Presented", "check", "check_time", "examine", "read"]

PAST = 12 * 3600.0
AHEAD = 3600.0
LONGEST_DATE = 100


def read(request: HttpRequest) -> Presented:
    """The signature that counts: RFC 9421 where the request presents one, else draft-cavage.

    Raises BadSignature with the reason `no-signature`, `malformed`, `not-covered` (it does not bind what it must),
    `wrong-algorithm` (none that is accepted here) or `unsupported-component`. Of several RFC 9421 signatures the first
    that binds what it must is taken.
    """
    if not message_signature.is_present(request):
        presented = cavage.read(request)
        cavage.require(presented, request)
        return presented
    refusals = []
    for presented in message_signature.read_all(request):
        try:
            message_signature.require(presented, request)
        except BadSignature as error:
            refusals.append(error)
        else:
            return presented
    raise refusals[0]


def check_time(
    presented: Presented, request: HttpRequest, now: float, past: float = PAST, ahead: float = AHEAD
) -> None:
    """Refuse what was signed more than `past` seconds ago or `ahead` seconds hence, or has expired.

    Every time that the signature covers counts: `created`, `expires`, `Date`. Raises BadSignature with the reason
    `too-old`, `ahead`, `expired` or `malformed`.
    """
    moments = [] if presented.created is None else [presented.created]
    if "date" in presented.covered:
        moments.append(_date(request))
    if not moments:
        raise BadSignature("not-covered", "The signature of this request does not cover its time.")
    if min(moments) < now - past:
        raise BadSignature("too-old", "The time that this request was signed at is too long ago.")
    if max(moments) > now + ahead:
        raise BadSignature("ahead", "The time that this request was signed at is in the future.")
    if presented.expires is not None and presented.expires < now:
        raise BadSignature("expired", "The signature of this request has expired.")


def examine(request: HttpRequest, now: float, past: float = PAST, ahead: float = AHEAD) -> Presented:
    """Everything that can be told without the signer's key: what is signed, when, and whether the digest fits."""
    presented = read(request)
    check_time(presented, request, now, past, ahead)
    check_digest(request)
    # That what it covers is there, and that the host is ours, shows when the signed text is put together.
    _bases(presented, request)
    return presented


def check(presented: Presented, request: HttpRequest, key: PublicKey) -> None:
    """Refuse the request unless this key signed it, what it covers is what came, and the content fits its digest.

    The algorithm belongs to the key: BadSignature `wrong-algorithm` where the request claims one of another kind, else
    `wrong-signature`. Time and coverage are for `check_time` and `read`; whose key it is, for the caller.
    """
    check_digest(request)
    allowed = cavage.ALGORITHMS if presented.scheme == "cavage" else message_signature.ALGORITHMS
    if presented.algorithm not in allowed or allowed[presented.algorithm] not in {None, key.algorithm}:
        raise BadSignature("wrong-algorithm", "The signature of this request uses an algorithm that is not its key's.")
    hash_name: Hash = "sha512" if presented.algorithm == "rsa-sha512" else "sha256"
    if not any(key.verifies(presented.signature, base, hash_name) for base in _bases(presented, request)):
        raise BadSignature("wrong-signature", "The signature of this request does not fit it.")


def _bases(presented: Presented, request: HttpRequest) -> tuple[bytes, ...]:
    if presented.scheme == "cavage":
        return cavage.bases(presented, request)
    return message_signature.bases(presented, request)


def _date(request: HttpRequest) -> float:
    text = request.header("date")
    if text is None:
        raise BadSignature("missing-component", "The signature of this request covers a date that is not there.")
    moment = clock.from_http_date(text) if len(text) <= LONGEST_DATE else None
    if moment is None:
        raise BadSignature("malformed", "The date of this request cannot be understood.")
    return moment
