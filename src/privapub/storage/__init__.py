"""Files by name, in a folder or in an S3-compatible store: one interface, one suite of tests for both.

A file is there whole or not at all, and never changes: what is to be different gets another name. What a name means is
the business of whoever gave it.
"""
