"""Cases that cannot be played in general, and are tested by tests of their own under their ids.

Those tests were written for this text of the case: its fingerprint changes with every word that decides anything, and
then the case fails until somebody has read it again. (`Case.fingerprint` is what a failure shows.)
"""

FINGERPRINTS: dict[str, str] = {
    "jobs/01-slow-job-double-run": "09accdaec1e0",
    "jobs/03-dead-worker-detection": "fcf30bd4d953",
    "jobs/04-poison-pill": "19074932a4a3",
    "jobs/06-rescuer-starvation": "5b53dd23fac3",
    "jobs/07-shutdown-and-slots": "e56f0518f8a5",
    "signatures/01-digest-forms": "99b82b877f84",
    "signatures/03-key-document": "dee1e582d7c6",
    "signatures/04-key-rotation": "d194265290ae",
}
