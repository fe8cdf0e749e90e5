"""usage: ours_signing.py ours COUNT | bare COUNT: requests signed a second."""

import sys
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from starting import told

from privapub import clock
from privapub.actors import keys
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign


def ours(count: int) -> float:
    """Whole requests."""
    key = PrivateKey.from_pem("https://here.example/a#main-key", keys.make().rsa)
    request = HttpRequest("POST", "https://there.example/inbox", (("Content-Type", "application/json"),), b"x" * 2000)
    began = time.perf_counter()
    for _ in range(count):
        sign(request, key, "cavage", clock.now())
    return count / (time.perf_counter() - began)


def bare(count: int) -> float:
    """The limit."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    began = time.perf_counter()
    for _ in range(count):
        key.sign(b"x" * 200, padding.PKCS1v15(), hashes.SHA256())
    return count / (time.perf_counter() - began)


if __name__ == "__main__":
    told({"a_second": {"ours": ours, "bare": bare}[sys.argv[1]](int(sys.argv[2]))})
