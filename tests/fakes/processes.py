"""Processes that tests start and kill: forked from one that has loaded everything, so that a start costs little."""

import multiprocessing

FORKED = multiprocessing.get_context("forkserver")
# What is installed: the folders of the tests are not on the path of that one process.
FORKED.set_forkserver_preload(["pytest", "privapub.app", "uvicorn.protocols.http.httptools_impl"])
