"""Reading the rest of a thread from the servers that hold it (FEP-7888, FEP-f228, `replies`, `inReplyTo`).

    budget < collections < walk < read

A thread is read by the job `context`: up to its first post, whose ancestors are kept from the top down, and then
whatever its context collection lists, or, where there is none, what the `replies` of each post list. Every document is
believed only from its own host, only posts for everyone are kept, and only those that answer something in the thread.
One budget is handed down to all of it and never refilled: nothing that a server says makes us ask without end. Asking
for a thread is left to `posts.threads`.
"""
