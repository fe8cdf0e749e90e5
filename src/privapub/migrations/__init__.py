"""The schema, as numbered steps forward.

`run` knows which schema the program needs, tells which one a database has, and brings it up to date. The steps stand in
`versions/`, one file each, and name every table and column themselves: a step that was released never changes, whatever
becomes of the tables that the rooms describe today. A test builds both databases in both ways and compares them.

A step that hands work from one mechanism to another has two halves: `halves` says which release may use which schema,
and `hand_over` moves the work, forward and back, so that it is never in both.

Alembic runs the steps, in a process of its own: a server whose schema is right need not hold it in memory.
"""
