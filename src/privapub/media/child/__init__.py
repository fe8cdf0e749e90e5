"""The program that makes pictures, films and sounds anew: one process for one file, sealed by `media/sandbox.py`.

    ORDER ──► the format that its bytes have ──► picture | film ──► files in its folder, and RESULT

It is told everything by its order and reads nothing else: no settings, no environment, no database. What it writes is
judged by `media/process.py` as if it came from outside, since a decoder that was taken over may write anything.
"""
