"""Everyone who acts, here or elsewhere: who they are, where they are reached, which keys are theirs.

A remote actor is a copy of what its own host says of it (`remote`). A local one is an actor too; what it has beyond
that is told by `personas`. The room keeps nothing about logins, fetches nothing and believes nobody: whoever calls
`learn` has made sure that the record comes from the actor's own host.
"""
