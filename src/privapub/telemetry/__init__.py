"""What the house knows of its own traffic: which fetches left it (`fetches`), what knocked at the inbox (`arrivals`),
what became of deliveries (`departures`), what was answered (`traffic`), and how long that is kept (`prune`).

It promises that no path, query or persona is in any of it, that of a fetch which a reader caused nothing remains but
one more in a count per server and day, and that nothing tells to whom an answer was given. It leaves the making of
requests to `outbound`.
"""
