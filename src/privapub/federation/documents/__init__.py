"""ActivityPub documents: reading what others wrote, and writing ours. All of it is pure.

Reading: bytes go through `strict_json.read` first, then through one of `read_activity`, `read_actor` or `read_post`,
which take JSON-LD's freedoms (a scalar, an object or a list anywhere) and answer with records of plain values. They
raise BadDocument and nothing else; one bad field never loses the rest. HTML is handed on as it came: whoever stores it
cleans it. Whether a document may be believed is decided elsewhere.

Writing: `write_actor`, `write_post` and `write_activity` make documents that name well-known contexts only, and
`encode` makes bytes of them.
"""
