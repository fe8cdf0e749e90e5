"""Processes that tests start and kill: forked from one that has loaded everything, so that a start costs little."""

import multiprocessing

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload(["pytest", "fakes.serving", "rooms.jobs.child"])
