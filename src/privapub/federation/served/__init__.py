"""What this server answers to other servers: actors, outboxes, collections, posts, activities, webfinger and the like.

Each file makes the answer to one kind of address. Whether a stranger, or the actor that signed the request, may see a
post is asked of `posts.audience`; what they may not see and what there is not get the same answer. `answer` gives the
documents their headers; `asking` tells who asks and in what form they want it. The pages for people are in `web`.
"""
