"""The inbox: what other servers send us, verified at the door, queued, and handled by a job.

    tables < store, origin < audience < received < on_like < undone < on_… < dispatch, receive

    (a request) ──receive──▶ refused (4xx, 503) or dropped (202), counted, no row
                    │
                    ▼ one transaction: row of `incoming` and its job, then 202
                 waiting ──dispatch──▶ handled        (`handled_at`)
                    ▲                 └▶ kept out      (`handled_at` and the reason in `kept_out`)
                    └── a copy of a Follow, Accept, Reject, Like, Block or Undo that was handled opens it again

It promises that nothing unsigned is stored, that what was answered with 202 is not lost, that handling twice changes
nothing, and that everything that is not taken in has a reason that the operator sees. Who may see a post, and what
follows from it, is left to `posts` and to the effects.
"""
