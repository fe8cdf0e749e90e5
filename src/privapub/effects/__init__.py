"""What follows a fact: one file for each, of the same name.

An effect is a job that only writes: it gets the transaction in which its job ends, and runs again whole if that
transaction is lost. What it puts on its way is queued in the same transaction.
"""
