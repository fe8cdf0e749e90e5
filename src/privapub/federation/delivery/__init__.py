"""Delivery: what leaves the house towards other servers, from an audience to the answer of the last inbox.

`inboxes` decides *where* something goes (never *who* may have it: that is `posts.audience`), `deliver` stores the bytes
once and queues one job for each inbox in the caller's transaction, `send` signs and posts at each try what `parcels`
has read for all that start together, `answer` (pure) judges what came back, and `sent` keeps who got what as long as
the post or its tombstone lives.
"""
