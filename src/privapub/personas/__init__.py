"""The local actors that people speak through: made, edited, looked up.

A persona is an actor with a handle of ours. This room does not know which login holds a persona, and nothing it stores
tells two personas of one login from two of two: ids, tokens and keys are drawn for each one alone.
"""
