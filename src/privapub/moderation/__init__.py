"""What admins decide by: reports that came in and went out.

Promises: a report names its reporter to nobody but the admins of this server.
"""
