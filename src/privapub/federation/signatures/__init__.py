"""Signatures on HTTP requests, made and checked: RFC 9421 and draft-cavage-http-signatures-12, RSA and Ed25519.

Everything is pure: a request, a key and a moment in, headers or a refusal (`BadSignature`) out. What can be told
without the signer's key (`presented.examine`) stands apart from what needs it (`presented.check`), so that garbage
costs no fetch.

It promises that whatever is accepted binds the method, the target, the host, the body and a time, and that the key,
not the request, decides on the algorithm. Whose key it is, and what its owner may do, is left to others.

A document may carry a signature of its own (`signed_inside`): a proof of FEP-8b32, made and read, or an
RsaSignature2017, only read. There what is believed is what the check returns, never the document that was checked.

    request < keys, digest, structured < components, claim < cavage, message_signature < presented, sign
    keys < owner, ld_shape < ld_quads, ld_reading < ld_signature, proof < signed_inside
"""
