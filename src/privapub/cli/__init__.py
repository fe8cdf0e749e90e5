"""The command line: one file for each noun, and `main` that puts them together.

Every command prints for people, and with `--json` for programs; a failure is one sentence, a hint and an exit status
that is not zero.
"""
