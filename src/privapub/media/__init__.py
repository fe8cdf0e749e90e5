"""Pictures, films and sounds: taken in, cleaned of everything that they tell of their making, kept and given out.

A file is *accepted* by its content alone, kept as it came until a job has *processed* it in a child process, and what
is served is only ever what that made. Others' media is *proxied*: nobody's reader is seen by another server.
"""
