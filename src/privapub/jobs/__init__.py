"""The queue: all slow or remote work is a row of `job` in the application's own database.

    put ──► blocked ──► waiting ◄──────────────────────────┐
              │            │ lease (attempt + 1, new stamp) │ retry, release, expired lease
              │            ▼                                │
              │          leased ────────────────────────────┘
              │            │
              └────────────┴──► done | failed | cancelled   (kept for seven days)

It promises: a job asked for in a transaction is there if and only if that transaction commits; no job is held by two
live leases; whoever acts on a lease names its stamp, and nothing happens when the stamp is no longer the job's; every
path ends. A handler may run twice, so what it does must bear that.

`enqueue` puts jobs in, `lease` takes them, `outcome` writes what a handler came to, `reaper` brings back or ends what
dead workers held, `worker` runs it all; `read` is the operator's. What a kind of job does is told to the worker by
whoever builds it: this room knows no kind.
"""
