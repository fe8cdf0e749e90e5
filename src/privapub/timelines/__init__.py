"""What a persona reads: its home timeline, filled when a post comes and asked again when it is read; lists, filters.

An entry lets nobody see anything: a post is shown only while `posts.audience` allows it, and of what it allows only
what its reader wants (`home`, `read`; mutes, lists and filters are the reader's own and known to nobody else).
"""
