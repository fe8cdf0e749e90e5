"""Who follows whom.

A follow is a state between two actors, not a history of messages:

    (none) --ask, receive--> pending --accepted, answer--> accepted
                 |              |                             |
                 |              +--rejected, answer--> rejected <--rejected, answer
                 |                                        |
                 +------ask, receive (asks again)---------+

    withdraw, undo, end_all: back to (none), from anywhere
    a rule about the server of one of the two (domains): pending or accepted --> suspended, and back again

Every verb may come twice and in any order: what does not fit the state changes nothing. A follow that is pending,
rejected or suspended is none: it lets nobody see anything. Sending what these verbs decide is left to the effects of
the facts.
"""
