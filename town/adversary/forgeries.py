"""What is said in the name of somebody else: lines 3 to 8 and 15 of the checklist."""

import base64
import json
import time
from typing import Any

from enemy import Enemy, attack, expected
from people import CONTEXT, JSON, PUBLIC, Headers, Person, create, note, of

FORGED = "<p>forged</p>"


async def _all(enemy: Enemy, by: Person, *activities: dict[str, Any], to: str = "") -> None:
    for activity in activities:
        await enemy.say(activity, by=by, to=to)


# Line 3: origin


@attack("3 origin: another host says what carol wrote")
async def _(enemy: Enemy) -> list[str] | None:
    carol, eve, there = enemy.carol, enemy.eve, f"{enemy.innocent.origin}/n/forged"
    false = note(carol, there, content=FORGED, to=[PUBLIC, enemy.alice["id"]])
    enemy.evil.serve(f"{eve.uri}/forged", {"@context": CONTEXT, **false})
    mine = {**false, "id": f"{eve.uri}/forged-too"}
    await _all(
        enemy, eve, create(eve, false), create(eve, mine), create(eve, {**mine, "attributedTo": [carol.uri, eve.uri]}),
        create(eve, {**mine, "attributedTo": {"type": "Person", "id": carol.uri}}), of("Announce", eve, false),
        of("Announce", eve, f"{eve.uri}/forged"), of("Update", eve, mine), of("Create", eve, f"{eve.uri}/forged"),
        {**create(carol, false), "actor": eve.uri}, {**create(eve, false), "actor": [eve.uri, carol.uri]},
    )  # fmt: skip


@attack("3 origin: a redirect of carol's host leads to eve's (fetch/03)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, there = enemy.eve, f"{enemy.innocent.origin}/proxy/abc"
    false = {"@context": CONTEXT, **note(enemy.carol, there, content=FORGED)}
    enemy.innocent.serve(there, b"", status=302, Location=enemy.evil.serve(f"{enemy.evil.origin}/x/9", false))
    await _all(enemy, eve, of("Announce", eve, there), of("Create", eve, there, to=[enemy.alice["id"]]))


@attack("3 origin: an actor of eve's host that is carol's, or ours")
async def _(enemy: Enemy) -> list[str] | None:
    evil, got = enemy.evil, []
    for name, uri in (("carol", enemy.carol.uri), ("alice", enemy.alice["id"])):
        false = Person(f"{evil.origin}/u/as-{name}", name)
        evil.serve(false.uri, {**false.document(), "id": uri})
        evil.serve(f"{false.uri}-led", b"", status=302, Location=uri)
        for key_id in (false.key_id, false.uri, f"{false.uri}-led", f"{uri}#main-key"):
            follow = {**of("Follow", false, enemy.bob["id"], f"{false.uri}/f"), "actor": uri}
            got.append(expected(key_id, await enemy.say(follow, by=false, key_id=key_id), 401, 503))
        update = of("Update", enemy.eve, {**false.document(), "id": uri, "name": "forged"})
        got.append(expected("an Update of it", await enemy.say(update, by=enemy.eve), 400))
    return got


@attack("3 origin: an address at another host (webfinger)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, here = enemy.evil, enemy.victim.partition("//")[2]
    for name, host in (("carol", enemy.innocent.origin.partition("//")[2]), ("alice", here)):
        person = Person(f"{evil.origin}/u/named-{name}", name, {"webfinger": f"{name}@{host}"})
        evil.person(person)
        evil.finger(f"{name}@{evil.origin.partition('//')[2]}", person.uri, f"{name}@{host}")
        await enemy.say(of("Like", person, enemy.posts["public"]), by=person)
    return None


@attack("3 origin: what only looks like the public (inbox/06)")
async def _(enemy: Enemy) -> list[str] | None:
    eve, alice = enemy.eve, enemy.alice["id"]
    alike = (f"{enemy.evil.origin}/Public", "public", "PUBLIC", "as:public", PUBLIC.lower(), f"{PUBLIC}/", f"{PUBLIC}?",
             PUBLIC.partition("#")[0], f"{PUBLIC.partition('#')[0]}/Public", f" {PUBLIC}")  # fmt: skip
    for number, to in enumerate(alike):
        post = note(eve, f"{eve.uri}/alike/{number}", content="<p>between us</p>", to=[to], cc=[alice])
        await enemy.say(create(eve, post), by=eve)
    return None


# Line 4: content types


@attack("4 content type: an upload on carol's host speaks for it (fetch/01)")
async def _(enemy: Enemy) -> list[str] | None:
    innocent, carol, got = enemy.innocent, enemy.carol, []
    kinds = ("text/plain", "image/png", "application/json", "application/ld+json", "text/html", "application/jrd+json")
    for number, kind in enumerate(kinds):
        url = f"{innocent.origin}/media/{number}"
        forger = Person(url, "carol")
        innocent.serve(url, forger.document(), kind=kind)
        got.append(expected(kind, await enemy.say(of("Follow", forger, enemy.bob["id"]), by=forger), 401, 503))
        false = note(carol, f"{url}-note", content=FORGED)
        innocent.serve(f"{url}-note", {"@context": CONTEXT, **false}, kind=kind)
        await _all(enemy, enemy.eve, of("Announce", enemy.eve, f"{url}-note"))
        await _all(enemy, carol, of("Create", carol, f"{url}-note", to=[enemy.alice["id"]]))
    return got


@attack("4 content type: what a form could send")
async def _(enemy: Enemy) -> list[str] | None:
    follow = of("Follow", enemy.eve, enemy.bob["id"])
    kinds = ("text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")
    return [expected(kind, await enemy.say(follow, by=enemy.eve, kind=kind), 415) for kind in kinds]


# Line 5: signatures


def _with(given: Headers, **changes: str | None) -> Headers:
    kept = tuple(pair for pair in given if pair[0].lower() not in changes)
    return kept + tuple((name, value) for name, value in changes.items() if value is not None)


def _told(given: Headers, **changes: str | None) -> Headers:
    text = next(value for name, value in given if name.lower() == "signature")
    told: dict[str, str | None] = dict(part.split("=", 1) for part in text.split(","))
    told |= {name: None if value is None else f'"{value}"' for name, value in changes.items()}
    return _with(given, signature=",".join(f"{name}={value}" for name, value in told.items() if value is not None))


@attack("5 signatures: none, or one that is not hers (signatures/01, 04, 07)")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, to = enemy.carol, enemy.mallory, enemy.bob["inbox"]
    body = json.dumps(of("Follow", carol, enemy.bob["id"])).encode()
    his, hers = mallory.signed("POST", to, body, key_id=carol.key_id), carol.signed("POST", to, b"{}")
    plain = (("Host", to.split("/")[2]), ("Content-Type", JSON))
    zeros = base64.b64encode(bytes(256)).decode()
    attempts: dict[str, Headers] = {
        "no signature": plain, "another body": hers, "another key": his, "zeros": _told(his, signature=zeros),
        "an empty one": _told(his, signature=""), "no algorithm": _told(his, algorithm="none"),
        "a secret": _told(his, algorithm="hmac-sha256"), "nothing covered": _told(his, headers=""),
        "the date alone": _told(his, headers="date"), "no digest": _with(his, digest=None),
        "a false digest": _with(hers, digest="SHA-256=AAAA"), "a weak digest": _with(hers, digest="MD5=AAAA"),
        "two digests": (*hers, ("Digest", "SHA-256=AAAA")), "no host": _told(his, headers="(request-target) date"),
        "no target": _told(his, headers="host date digest"), "no key": _told(his, keyId=""),
        "an empty input": (*his, ("Signature-Input", "sig1=()")), "rfc9421, another body": carol.signed(
            "POST", to, b"{}", scheme="rfc9421"),
        "as authorization": (*plain, ("Authorization", "Signature " + dict(his)["Signature"])),
        "for another inbox": carol.signed("POST", enemy.alice["inbox"], body),
        "for another host": _with(carol.signed("POST", to.replace("127.0.0.1", "127.1.1.1"), body), host=plain[0][1]),
        "of a GET": carol.signed("GET", to, body),
    }  # fmt: skip
    return [
        expected(name, await enemy.send(to, body, lambda headers=headers: headers), 400, 401, 415)
        for name, headers in attempts.items()
    ]


@attack("5 signatures: in order, by somebody else than who acts")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, got = enemy.carol, enemy.mallory, []
    for what in (
        of("Follow", carol, enemy.bob["id"]), {**of("Follow", carol, enemy.bob["id"]), "as:actor": mallory.uri},
        of("Like", carol, enemy.posts["public"], f"{carol.uri}/like/2"), of("Block", carol, enemy.alice["id"]),
        of("Undo", carol, f"{carol.uri}/follow/1"), of("Move", carol, carol.uri, target=mallory.uri),
    ):  # fmt: skip
        got += [expected(what["type"], await enemy.say(what, by=mallory, to=enemy.bob["inbox"]), 401)]
    await _all(enemy, mallory, of("Create", carol, note(carol, f"{carol.uri}/forged", content=FORGED)))
    return got


@attack("5 signatures: key documents that lie (signatures/03)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, innocent, carol, mallory, got = enemy.evil, enemy.innocent, enemy.carol, enemy.mallory, []
    key = {"@context": CONTEXT, "owner": carol.uri, "publicKeyPem": mallory.public}
    ids = [f"{innocent.origin}/keys/lie", f"{evil.origin}/keys/lie"]
    for key_id in ids:
        (innocent if key_id.startswith(innocent.origin) else evil).serve(key_id, {**key, "id": key_id})
    innocent.serve(f"{innocent.origin}/keys/other", {**key, "id": carol.key_id})
    thief = Person(f"{evil.origin}/u/thief", "thief")
    evil.person(thief)
    evil.serve(
        thief.uri, thief.document(publicKey={"id": carol.key_id, "owner": thief.uri, "publicKeyPem": thief.public})
    )
    for key_id in (*ids, f"{innocent.origin}/keys/other"):
        follow = of("Follow", carol, enemy.bob["id"])
        got.append(
            expected(key_id, await enemy.say(follow, by=mallory, key_id=key_id, to=enemy.bob["inbox"]), 401, 503)
        )
    for key_id in (thief.uri, carol.key_id):
        got.append(
            expected(key_id, await enemy.say(of("Follow", carol, enemy.bob["id"]), by=thief, key_id=key_id), 401)
        )
        await enemy.say(of("Like", thief, enemy.posts["public"]), by=thief, key_id=key_id)
    return got


@attack("5 signatures: keys asked for without end (signatures/04)")
async def _(enemy: Enemy) -> list[str] | None:
    evil, bob, got = enemy.evil, enemy.bob["id"], []
    known, nowhere, forger = (Person(f"{evil.origin}/u/{name}", name) for name in ("known", "nowhere", "forger"))
    evil.person(known)
    got.append(expected("somebody new", await enemy.say(of("Like", known, enemy.posts["public"]), by=known), 202))
    for who in (known, nowhere):
        path = who.uri.removeprefix(evil.origin)
        before = evil.asked[path]
        follow = of("Follow", who, bob)
        statuses = [await enemy.say(follow, by=forger, key_id=who.key_id) for _ in range(20)]
        got += [expected(path, status, 401, 503) for status in set(statuses)]
        asked = evil.asked[path] - before
        got += [f"{path} was asked for {asked} times"] if asked > 1 else []
    return got


# Line 6: signatures within documents


@attack("6 LD signatures: what carol signed, told otherwise")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory = enemy.carol, enemy.mallory
    true = note(carol, f"{carol.uri}/ld", content="<p>true</p>", to=[PUBLIC, enemy.alice["id"]])
    said = create(carol, true, f"{carol.uri}/ld/told")
    signature = carol.linked(said)
    false = {**true, "content": FORGED}
    for change in (
        {"object": false}, {"@graph": [false]}, {"@included": [false]}, {"@reverse": {"object": false}},
        {"@context": [CONTEXT, {"said": "as:content", "content": "http://x.test/c"}],
         "object": {**true, "said": "<p>true</p>", "content": FORGED}},
        {"@context": [CONTEXT, {"summary": None}], "object": {**true, "summary": FORGED}},
        {"@context": [CONTEXT, f"{enemy.evil.origin}/context"], "object": false},
        {"object": {**true, "_misskey_content": FORGED, "content": FORGED}},
        {"tag": [{"id": f"_:n{n}", "attributedTo": [f"_:n{m}" for m in range(14)]} for n in range(14)]},
    ):  # fmt: skip
        for to in ("", f"{enemy.victim}/inbox"):
            await enemy.say({**said, **change, "signature": signature}, by=mallory, to=to)
    return [expected("a context of eve's", enemy.evil.asked["/context"], 0)]


@attack("6 proofs: of another, of another document, of nobody")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory = enemy.carol, enemy.mallory
    false = create(carol, note(carol, f"{carol.uri}/proven", content=FORGED, to=[PUBLIC, enemy.alice["id"]]))
    proof = {"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "proofPurpose": "assertionMethod",
             "created": "2026-03-01T12:00:00Z", "proofValue": "z" + "1" * 87}  # fmt: skip
    methods = (carol.key_id, mallory.key_id, f"{carol.uri}#ed25519-key", f"{enemy.eve.uri}#ed25519-key", "did:key:z6Mk")
    for method in methods:
        await enemy.say({**false, "proof": {**proof, "verificationMethod": method}}, by=mallory)
    return None


# Line 7: replay


@attack("7 replay: too old, ahead, at another inbox (signatures/06)")
async def _(enemy: Enemy) -> list[str] | None:
    from_now, got = (-13 * 3600, -86400 * 30, 2 * 3600, 86400), []
    follow = of("Follow", enemy.eve, enemy.bob["id"])
    body = json.dumps(follow).encode()
    for seconds in from_now:
        for scheme in ("cavage", "rfc9421"):
            at = time.time() + seconds
            status = await enemy.say(body, by=enemy.eve, to=enemy.bob["inbox"], at=at, scheme=scheme)
            got.append(expected(f"{seconds} s, {scheme}", status, 401))
    elsewhere = enemy.eve.signed("POST", enemy.alice["inbox"], body)
    return [*got, expected("elsewhere", await enemy.send(enemy.bob["inbox"], body, lambda: elsewhere), 401)]


@attack("7 replay: the same bytes again and again")
async def _(enemy: Enemy) -> list[str] | None:
    carol, to = enemy.carol, enemy.alice["inbox"]
    for activity in (
        of("Like", carol, enemy.posts["public"], f"{carol.uri}/like/1"),
        of("Announce", carol, enemy.posts["public"], f"{carol.uri}/boost/1", to=[PUBLIC]),
    ):
        body = json.dumps(activity).encode()
        headers = carol.signed("POST", to, body)
        for _ in range(5):
            await enemy.send(to, body, lambda body=headers: body)
    return None


@attack("7 replay: an id that was undone comes again (inbox/01)")
async def _(enemy: Enemy) -> list[str] | None:
    carol, uri = enemy.carol, f"{enemy.carol.uri}/follow/1"
    follow = of("Follow", carol, enemy.alice["id"], uri)
    got = [expected(what["type"], await enemy.say(what, by=carol), 202) for what in (of("Undo", carol, follow), follow)]
    # Mallory's Undo of hers comes once more, and changes nothing, though the id has been undone before.
    await enemy.say(of("Undo", enemy.mallory, follow), by=enemy.mallory)
    return got


# Line 8: hijack


@attack("8 hijack: Update and Delete by another of her host (inbox/07)")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, hers = enemy.carol, enemy.mallory, enemy.hers
    false = note(carol, hers, content=FORGED, updated="2026-03-03T00:00:00Z", to=[PUBLIC])
    for to in (enemy.alice["inbox"], f"{enemy.victim}/inbox"):
        await _all(
            enemy, mallory, of("Update", mallory, false), of("Update", mallory, {**false, "attributedTo": mallory.uri}),
            of("Update", mallory, hers),
            of("Update", mallory, carol.document(name="forged", inbox=f"{mallory.uri}/x")),
            of("Delete", mallory, hers), of("Delete", mallory, {"type": "Tombstone", "id": hers}),
            of("Delete", mallory, carol.uri), of("Delete", mallory, carol.document()), of("Delete", carol, hers),
            to=to,
        )  # fmt: skip


@attack("8 hijack: Undo by another of her host")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, post = enemy.carol, enemy.mallory, enemy.posts["public"]
    follow = {"type": "Follow", "id": f"{carol.uri}/follow/1", "actor": carol.uri, "object": enemy.alice["id"]}
    await _all(
        enemy, mallory, of("Undo", mallory, follow), of("Undo", mallory, {**follow, "actor": mallory.uri}),
        of("Undo", mallory, follow["id"]), of("Undo", mallory, f"{carol.uri}/like/1"),
        of("Undo", mallory, {"type": "Like", "id": f"{carol.uri}/like/1", "object": post}),
        of("Undo", mallory, f"{carol.uri}/boost/1"),
        of("Undo", mallory, {"type": "Announce", "id": f"{carol.uri}/boost/1", "object": post}),
    )  # fmt: skip


@attack("8 hijack: Accept, Reject and Move of what is not theirs")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, alice, bob = enemy.carol, enemy.mallory, enemy.alice["id"], enemy.bob["id"]
    asked = {"type": "Follow", "id": f"{enemy.victim}/activities/x", "actor": bob, "object": carol.uri}
    await _all(
        enemy, mallory, of("Accept", mallory, asked), of("Accept", mallory, {**asked, "object": mallory.uri}),
        of("Accept", mallory, asked["id"]), of("Reject", mallory, {**asked, "actor": alice}),
        of("Reject", mallory, f"{carol.uri}/follow/1"), of("Move", mallory, carol.uri, target=mallory.uri),
        of("Move", mallory, alice, target=mallory.uri), of("Add", mallory, enemy.hers, target=f"{carol.uri}/featured"),
        of("Block", mallory, {"type": "Block", "actor": carol.uri, "object": alice}),
    )  # fmt: skip
    # A Move that only one side says.
    mallory.more["movedTo"] = enemy.eve.uri
    enemy.innocent.person(mallory)
    await _all(enemy, mallory, of("Move", mallory, mallory.uri, target=enemy.eve.uri))
    del mallory.more["movedTo"]
    enemy.innocent.person(mallory)


@attack("8 hijack: who may see it is widened by another")
async def _(enemy: Enemy) -> list[str] | None:
    carol, mallory, hers, bob = enemy.carol, enemy.mallory, enemy.hers, enemy.bob["id"]
    said = create(carol, note(carol, hers, to=[f"{carol.uri}/followers", enemy.alice["id"]]), f"{carol.uri}/create/1")
    for to in (enemy.bob["inbox"], enemy.alice["inbox"]):
        await _all(
            enemy, mallory, create(mallory, note(carol, hers, to=[bob])),
            create(mallory, note(mallory, hers, to=[bob])), of("Create", mallory, hers, to=[bob]),
            of("Announce", mallory, hers, to=[PUBLIC, bob]), {**said, "signature": carol.linked(said)},
            of("Announce", mallory, create(carol, note(carol, hers)), to=[PUBLIC]),
            to=to,
        )  # fmt: skip


@attack("8 order: an old Update, a Create after its Delete (inbox/03, 10)")
async def _(enemy: Enemy) -> list[str] | None:
    carol, uri = enemy.carol, f"{enemy.carol.uri}/n/gone"
    await _all(
        enemy, carol, of("Delete", carol, {"type": "Tombstone", "id": uri}),
        create(carol, note(carol, uri, content=FORGED, to=[PUBLIC, enemy.alice["id"]])),
        of("Update", carol, note(carol, enemy.hers, content=FORGED, updated="2020-01-01T00:00:00Z", to=[PUBLIC])),
    )  # fmt: skip


# Line 15: quotes


@attack("15 quotes: stamps of another, for another, from elsewhere")
async def _(enemy: Enemy) -> list[str] | None:
    carol, eve, evil, innocent = enemy.carol, enemy.eve, enemy.evil, enemy.innocent
    quoted = innocent.serve(f"{carol.uri}/quoted", {"@context": CONTEXT, **note(carol, f"{carol.uri}/quoted")})
    ours = enemy.posts["public"]
    for number, (about, host, changes) in enumerate(
        (
            (quoted, evil, {}), (quoted, innocent, {"interactionTarget": f"{carol.uri}/other"}),
            (quoted, innocent, {"interactingObject": f"{eve.uri}/other"}),
            (quoted, innocent, {"attributedTo": eve.uri}), (quoted, innocent, {"type": "Note"}),
            (ours, evil, {"attributedTo": enemy.alice["id"]}),
        )
    ):  # fmt: skip
        stamp, uri = f"{host.origin}/stamps/{number}", f"{eve.uri}/quoting/{number}"
        document = {"@context": CONTEXT, "id": stamp, "type": "QuoteAuthorization", "attributedTo": carol.uri,
                    "interactingObject": uri, "interactionTarget": about, **changes}  # fmt: skip
        host.serve(stamp, document)
        post = note(eve, uri, quote=about, quoteAuthorization=stamp, to=[PUBLIC, enemy.alice["id"]])
        await _all(enemy, eve, create(eve, post), of("Accept", eve, {"type": "QuoteRequest", "id": uri}, result=stamp))
    return None
