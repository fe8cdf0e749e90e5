"""Federation: everything that PrivaPub says to other servers and hears from them.

Floors within, lowest first; each may use those before it:

    documents < signatures < fetching < asker < delivery < inbox < served < routes

`documents` reads and writes ActivityStreams JSON; `signatures` makes and checks the signatures on requests; `fetching`
gets what other servers hold; `asker` has the one opinion on who signed a request; `delivery` sends what must be sent to
whom it concerns; `inbox` takes what arrives; `served` answers what others ask; `routes` is the entrance.

It promises that nothing unsigned is stored, that nothing is believed but from its own host, and that no byte sent tells
which login owns a persona: nothing here may reach `accounts`. Who may see or receive a post is decided in `posts`.
"""
