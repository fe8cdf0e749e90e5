"""Getting what other servers hold: documents, actors, keys, posts, and the actor behind an address.

    origin, alternate (pure) < scheme < signer < document < jrd < actor < key, post, webfinger

Every request is a GET signed by the application actor, so that no persona is revealed by what it reads. Nothing is
believed but from its own host: the `id` of a document is the URL that finally answered, else it is fetched once more
from where it says that it lives. Nothing of our own is ever fetched. What could not be had is a `FetchProblem` with its
reason, or `NotFound` where an address names nobody.
"""
