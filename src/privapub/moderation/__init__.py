"""What admins decide by: reports that came in and went out, and the rules about domains that they make.

Which rule decides is told by `domain_rules` (pure), without a database by `gate`; what follows from a change at once is
done by `follows.domains`, and the rest by jobs.

Promises: a report names its reporter to nobody but the admins of this server.
"""
