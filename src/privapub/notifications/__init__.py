"""What a persona is told of: that somebody named, followed or liked it, and the like.

Promises: a thing is told once, and nothing is told of what its reader may not see.
"""
