"""ActivityPub documents: reading what others wrote, and writing ours. All of it is pure.

Reading: bytes go through `strict_json.read` first, then through one of the readers `read_post`, `read_actor`,
`read_activity`, `read_collection` and `read_tombstone`, or through `read_document`, which finds out which. They take
names in every spelling (`terms`) and JSON-LD's freedoms (a scalar, an object or a list anywhere; `properties`), and
answer with frozen records of plain, bounded values (`limits`). They raise BadDocument with a reason and nothing else.
One bad property costs that property: it counts as absent, and the record's `notes` say so in a sentence (`fields`).
HTML is handed on as it came: whoever stores it cleans it. Whether a document may be believed is decided elsewhere.

Writing: `write_actor`, `write_post` and `write_activity` make documents that name well-known contexts only, and
`encode` makes bytes of them.
"""
