"""The one door through which requests leave the house.

`client.Door` is the only HTTP client. It promises: https alone (plain http for the networks let through), ports and
addresses of the public internet alone, the address that was judged is the one that is connected to, at most three
redirects each judged and signed anew, bodies and headers with limits, a total time; no cookie, no environment, no
connection that belongs to an account; each request told to telemetry without its path. It works only while no
transaction is open.

`address` judges addresses and ports (pure), `target` judges URLs (pure), `body` counts and unpacks (pure), `answers`
holds what comes back, `remembered` which failures are not asked for again, `gate` is the question whether a host may
be contacted at all, which `moderation` answers. What an answer means, and whether its `id` may be believed, is left to
`federation.fetching`.
"""
