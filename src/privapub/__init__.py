"""PrivaPub: a privacy-first server for the fediverse.

One account holds several unlinkable personas, each an ActivityPub actor. `docs/explanation/the-house.md` is the map.
"""
