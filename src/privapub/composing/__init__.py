"""Writing a post, from what a person typed to the row that is published: whoever the text names is found first.

The entrances (command line, client API, pages) call this; who may have the post is decided in `posts.audience`, and
what follows from it in `effects`.
"""
