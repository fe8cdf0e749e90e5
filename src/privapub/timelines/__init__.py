"""Home timelines: which posts each persona finds there, filled when a post comes and asked again when it is read.

An entry lets nobody see anything: `read` shows a post only while `posts.audience` allows it.
"""
