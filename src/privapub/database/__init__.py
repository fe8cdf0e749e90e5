"""The database: how to open it, and what a transaction is.

SQLite has one writer connection (`BEGIN IMMEDIATE`, WAL, `synchronous=FULL`) and a few readers that cannot write;
PostgreSQL has one pool. Both are used through `Database.write()` and `Database.read()`, which hand out a `Transaction`.
What must happen after a commit, and only then, is left with `Transaction.after_commit`; what other parts of this
process and other processes must hear of is said with `Transaction.announce`.
"""
