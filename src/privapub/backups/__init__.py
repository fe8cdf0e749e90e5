"""Backups: everything that the server keeps in one file, made while it runs, and put back where nothing is.

A backup is a plain tar (POSIX ustar) of regular files alone: the database as it was at one moment, then the media
folder, then `manifest.json`, which says what the whole is. Whoever cuts it short or changes it loses the manifest or
meets its hashes. The database is copied before the media: a file without a row is no harm, a row without its file is.

A restore is whole or nothing: everything is unpacked beside its place and checked, and what the backup held as
unfinished is paused, before the one step that makes the database usable. Left to others: when backups are made, where
they are kept, and who may read them; they hold the keys of the personas.
"""
