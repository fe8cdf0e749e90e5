"""Posts, ours and others': published, edited, deleted, received; and who may see each of them.

`audience` is the one place that decides who sees and who receives a post; every way out asks it. The room stores HTML
as it is given (cleaning is the caller's), fetches nothing and sends nothing.
"""
