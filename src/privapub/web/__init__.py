"""The pages for people: what this server is, a persona, a post. None needs JavaScript, or anything from elsewhere.

A page shows what a stranger may see and nothing more (`posts.audience` is asked). Addresses that are a document and a
page at once are negotiated here: who wants a document is answered by `federation`. Every response of the server, the
documents too, gets its security headers in `headers`.
"""
