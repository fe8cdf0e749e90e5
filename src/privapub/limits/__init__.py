"""How much strangers may ask of one process: buckets of tokens, room for bodies, and places for what waits.

Everything is in memory, belongs to one process and is bounded: a million hosts or addresses take no more room than the
tables hold. No address is kept longer than its bucket takes to fill, or than it is known that a host speaks from it (an
hour). Times are handed in. What is refused, and in which words, is for the entrances to say.
"""
