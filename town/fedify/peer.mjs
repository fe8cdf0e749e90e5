// A small server on Fedify with the people `open`, `locked`, `refusing` and `leaving`, and a control port that steers them.
//
// usage: node peer.mjs --port PORT --control PORT --host NAME --state FILE
//
// Everything that federates is Fedify's own: this file holds the people, their notes and who follows whom, and writes
// them to the state file, so that a stopped server comes back as the same one.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Temporal } from "@js-temporal/polyfill";
import { createFederation, exportJwk, generateCryptoKeyPair, importJwk, MemoryKvStore } from "@fedify/fedify";
import {
  Accept, Activity, Collection, Create, Delete, Endpoints, Follow, InteractionPolicy, InteractionRule, isActor, Mention,
  Note, Person, PUBLIC_COLLECTION, Question, QuoteAuthorization, QuoteRequest, Reject, Tombstone, Undo, Update,
} from "@fedify/fedify/vocab";
import { doings } from "./doings.mjs";
import { attachmentOf, emojiOf, files } from "./files.mjs";

const { values: args } = parseArgs({
  options: {
    port: { type: "string" }, control: { type: "string" }, host: { type: "string", default: "localhost" },
    state: { type: "string" },
  },
});
const HANDLES = ["open", "locked", "refusing", "leaving"];
const origin = `http://${args.host}:${args.port}`;

// Fedify asks `acct:` addresses by https only; on the loopback there is no https. And what it asks and sends is logged.
const fetchAsIs = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const url = typeof input === "string" || input instanceof URL ? new URL(input) : null;
  if (url?.protocol === "https:" && ["localhost", "127.0.0.1"].includes(url.hostname)) url.protocol = "http:";
  const headers = new Headers(init?.headers ?? input.headers);
  const response = await fetchAsIs(url ?? input, init);
  console.log(init?.method ?? input.method ?? "GET", url?.href ?? input.url, signedWith(headers), response.status);
  return response;
};

const signedWith = (headers) => headers.has("signature-input") ? "rfc9421" : headers.has("signature") ? "cavage" : "none";

// ---- what is remembered -------------------------------------------------------------------------------------------
const state = existsSync(args.state) ? JSON.parse(readFileSync(args.state, "utf8")) : {
  keys: {}, notes: {}, received: [], wire: [], acts: {}, stamps: {}, pins: [], moved: {}, files: {},
  followers: Object.fromEntries(HANDLES.map((h) => [h, {}])),
  following: Object.fromEntries(HANDLES.map((h) => [h, {}])),
};
const save = () => writeFileSync(args.state, JSON.stringify(state));
const { controls, served } = files({ state, save, origin });
const behaviour = { answer: 0, retry_after: null, times: 0 };
const arriving = new AsyncLocalStorage();

for (const handle of HANDLES) {
  state.keys[handle] ??= await Promise.all(["RSASSA-PKCS1-v1_5", "Ed25519"].map(async (algorithm) => {
    const pair = await generateCryptoKeyPair(algorithm);
    return { publicKey: await exportJwk(pair.publicKey), privateKey: await exportJwk(pair.privateKey) };
  }));
}
save();

// ---- the server ---------------------------------------------------------------------------------------------------
const federation = createFederation({ kv: new MemoryKvStore(), origin, allowPrivateAddress: true });
const context = () => federation.createContext(new URL(origin), undefined);
const known = (handle) => HANDLES.includes(handle);

federation.setActorDispatcher("/users/{identifier}", async (ctx, handle) => {
  if (!known(handle)) return null;
  const keys = await ctx.getActorKeyPairs(handle);
  return new Person({
    id: ctx.getActorUri(handle), preferredUsername: handle, name: `The ${handle} one`,
    summary: "<p>Lives in the town</p>", manuallyApprovesFollowers: ["locked", "refusing"].includes(handle),
    featured: ctx.getFeaturedUri(handle), successor: state.moved[handle] ? new URL(state.moved[handle]) : null,
    aliases: handle === "open" ? [ctx.getActorUri("leaving")] : [],
    inbox: ctx.getInboxUri(handle), outbox: ctx.getOutboxUri(handle),
    followers: ctx.getFollowersUri(handle), following: ctx.getFollowingUri(handle),
    endpoints: new Endpoints({ sharedInbox: ctx.getInboxUri() }), url: ctx.getActorUri(handle),
    publicKey: keys[0].cryptographicKey, assertionMethods: keys.map((key) => key.multikey),
  });
}).setKeyPairsDispatcher((_ctx, handle) => known(handle)
  ? Promise.all(state.keys[handle].map(async (pair) => ({
    publicKey: await importJwk(pair.publicKey, "public"), privateKey: await importJwk(pair.privateKey, "private"),
  })))
  : []);

const everything = (items) => ({ items, nextCursor: null });
federation.setFollowersDispatcher("/users/{identifier}/followers", (_ctx, handle) => everything(
  accepted("followers", handle).map(([id, it]) => ({
    id: new URL(id), inboxId: new URL(it.inbox),
    endpoints: it.shared ? { sharedInbox: new URL(it.shared) } : null,
  })),
)).setCounter((_ctx, handle) => accepted("followers", handle).length);
federation.setFollowingDispatcher("/users/{identifier}/following", (_ctx, handle) => everything(
  accepted("following", handle).map(([id]) => new URL(id)),
)).setCounter((_ctx, handle) => accepted("following", handle).length);
federation.setOutboxDispatcher("/users/{identifier}/outbox", (ctx, handle) => everything(
  Object.values(state.notes).filter((it) => it.as === handle && it.to === "public" && !it.deleted)
    .map((it) => activityOf(ctx, Create, it, `${it.id}/create`)),
)).setCounter((_ctx, handle) => Object.values(state.notes).filter((it) => it.as === handle).length);
federation.setFeaturedDispatcher("/users/{identifier}/featured", (ctx, handle) => everything(
  state.pins.filter((id) => state.notes[id].as === handle).map((id) => noteOf(ctx, state.notes[id])),
));
federation.setObjectDispatcher(QuoteAuthorization, "/stamps/{id}", (ctx, { id }) => {
  const it = state.stamps[id];
  return it == null ? null : new QuoteAuthorization({
    id: ctx.getObjectUri(QuoteAuthorization, { id }), attribution: ctx.getActorUri(it.as),
    interactingObject: new URL(it.instrument), interactionTarget: new URL(it.object),
  });
});
federation.setObjectDispatcher(Question, "/users/{identifier}/questions/{id}", (ctx, { identifier, id }) => {
  const it = state.notes[ctx.getObjectUri(Question, { identifier, id }).href];
  return it == null || it.deleted || it.to !== "public" ? null : noteOf(ctx, it);
});
federation.setObjectDispatcher(Collection, "/users/{identifier}/notes/{id}/replies", (ctx, { identifier, id }) => {
  const note = ctx.getObjectUri(Note, { identifier, id }).href;
  return state.notes[note] == null ? null : repliesOf(note);
});
federation.setObjectDispatcher(Note, "/users/{identifier}/notes/{id}", (ctx, { identifier, id }) => {
  const it = state.notes[ctx.getObjectUri(Note, { identifier, id }).href];
  return it == null || it.deleted || it.to !== "public" ? null : noteOf(ctx, it);
});
federation.setNodeInfoDispatcher("/nodeinfo/2.1", () => ({
  software: { name: "town-fedify", version: "1.0.0" }, protocols: ["activitypub"],
  usage: { users: { total: HANDLES.length }, localPosts: Object.keys(state.notes).length, localComments: 0 },
}));
federation.setInboxListeners("/users/{identifier}/inbox", "/inbox")
  .setSharedKeyDispatcher(() => ({ identifier: "open" }))
  .on(Activity, takeIn)
  .onError((_ctx, error) => console.error("inbox:", error));

const accepted = (side, handle) => Object.entries(state[side][handle] ?? {}).filter(([, it]) => it.state === "accepted");

async function takeIn(ctx, activity) {
  const raw = arriving.getStore()?.body ?? await activity.toJsonLd(ctx);
  const handler = [[Follow, onFollow], [Accept, onAnswer], [Reject, onAnswer], [Undo, onUndo], [QuoteRequest, onQuote],
    [Create, onCreate]]
    .find(([type]) => activity instanceof type)?.[1];
  try {
    await handler?.(ctx, activity);
  } finally {
    state.received.push(raw);
    save();
  }
}

async function onFollow(ctx, follow) {
  const target = ctx.parseUri(follow.objectId);
  if (target?.type !== "actor" || !known(target.identifier)) return;
  const follower = await follow.getActor(ctx);
  if (follower?.id == null) return;
  state.followers[target.identifier][follower.id.href] = {
    state: "pending", inbox: follower.inboxId.href, shared: follower.endpoints?.sharedInbox?.href ?? null,
    follow: follow.id.href,
  };
  if (target.identifier !== "locked") await answerFollow(ctx, target.identifier, follower.id.href, target.identifier !== "refusing");
}

async function answerFollow(ctx, handle, follower, yes) {
  const it = state.followers[handle][follower];
  if (it == null) throw new Error(`${follower} has not asked to follow ${handle}`);
  it.state = yes ? "accepted" : "rejected";
  save();
  const follow = new Follow({ id: new URL(it.follow), actor: new URL(follower), object: ctx.getActorUri(handle) });
  const answer = { id: fresh(yes ? "accepts" : "rejects"), actor: ctx.getActorUri(handle), object: follow };
  await deliver(ctx, handle, [{ id: follower, inbox: it.inbox }], yes ? new Accept(answer) : new Reject(answer));
}

function onAnswer(_ctx, answer) {
  // By the id of the Follow, embedded or bare: Fedify does not believe an embedded object of another host.
  for (const handle of HANDLES) {
    const it = state.following[handle][answer.actorId?.href];
    if (it != null && answer.objectId?.href === it.follow) it.state = answer instanceof Accept ? "accepted" : "rejected";
  }
}

async function onUndo(ctx, undo) {
  const what = await undo.getObject(ctx).catch(() => null);
  for (const handle of HANDLES) {
    const it = state.followers[handle][undo.actorId?.href];
    const mine = it != null && (undo.objectId?.href === it.follow || (what instanceof Follow &&
      what.objectId?.href === ctx.getActorUri(handle).href));
    if (mine) delete state.followers[handle][undo.actorId.href];
  }
}

// Whoever asks may quote: the answer brings the stamp.
async function onQuote(ctx, asked) {
  const it = state.notes[asked.objectId?.href];
  if (it == null || asked.instrumentId == null) return;
  const id = randomUUID();
  state.stamps[id] = { as: it.as, object: it.id, instrument: asked.instrumentId.href };
  save();
  await deliver(ctx, it.as, [await inboxOf(ctx, it.as, asked.actorId.href)], new Accept({
    id: fresh("accepts"), actor: ctx.getActorUri(it.as), to: asked.actorId,
    object: new QuoteRequest({
      id: asked.id, actor: asked.actorId, object: asked.objectId, instrument: asked.instrumentId,
    }),
    result: ctx.getObjectUri(QuoteAuthorization, { id }),
  }));
}

// A note that has a name and answers a poll is a vote.
async function onCreate(ctx, create) {
  const object = await create.getObject(ctx).catch(() => null);
  const it = state.notes[object?.replyTargetId?.href];
  if (it?.poll != null && object.name != null) (it.votes[object.name.toString()] ??= []).push(create.actorId.href);
}

// ---- notes --------------------------------------------------------------------------------------------------------
const fresh = (kind) => new URL(`/${kind}/${randomUUID()}`, origin);

function addressed(ctx, it) {
  const followers = ctx.getFollowersUri(it.as);
  const people = it.mentions.map((m) => new URL(m));
  if (it.to === "public") return { tos: [PUBLIC_COLLECTION], ccs: [followers, ...people] };
  return it.to === "followers" ? { tos: [followers], ccs: people } : { tos: people };
}

const optionOf = (it) => (name) => new Note({
  name, replies: new Collection({ totalItems: (it.votes[name] ?? []).length }),
});

const repliesOf = (id) => new Collection({
  id: new URL(`${id}/replies`),
  items: Object.values(state.notes).filter((o) => o.in_reply_to === id && o.to === "public").map((o) => new URL(o.id)),
});

const noteOf = (ctx, it) => new (it.poll ? Question : Note)({
  ...(it.poll ? {
    exclusiveOptions: it.poll.map(optionOf(it)), endTime: Temporal.Now.instant().add({ hours: 24 }),
    voters: new Set(Object.values(it.votes).flat()).size,
  } : {}),
  replies: it.poll ? null : repliesOf(it.id),
  interactionPolicy: new InteractionPolicy({ canQuote: new InteractionRule({ automaticApproval: PUBLIC_COLLECTION }) }),
  ...(it.quote ? { quote: new URL(it.quote), quoteUrl: new URL(it.quote) } : {}),
  ...(it.stamp ? { quoteAuthorization: new URL(it.stamp) } : {}),
  id: new URL(it.id), attribution: ctx.getActorUri(it.as), content: `<p>${it.text}</p>`, mediaType: "text/html",
  published: Temporal.Instant.from(it.published), updated: it.updated ? Temporal.Instant.from(it.updated) : null,
  replyTarget: it.in_reply_to ? new URL(it.in_reply_to) : null, url: new URL(it.id),
  tags: [...it.mentions.map((m) => new Mention({ href: new URL(m) })), ...it.emojis.map(emojiOf)],
  attachments: it.attachments.map(attachmentOf), ...addressed(ctx, it),
});

const activityOf = (ctx, type, it, id) => new type({
  id: new URL(id), actor: ctx.getActorUri(it.as), ...addressed(ctx, it),
  object: type === Delete ? new Tombstone({ id: new URL(it.id) }) : noteOf(ctx, it),
});

async function publish(ctx, {
  as = "open", text, to = "public", mention, in_reply_to = null, poll = null, quote = null, quiet = false,
  attachments = [], emojis = [],
}) {
  const mentions = [mention ?? []].flat();
  const id = ctx.getObjectUri(poll ? Question : Note, { identifier: as, id: randomUUID() }).href;
  const people = await Promise.all(mentions.map((m) => inboxOf(ctx, as, m)));
  const readers = to === "direct" ? [] : accepted("followers", as).map(([id, it]) => ({ ...it, id }));
  const it = state.notes[id] = {
    id, as, text, to, mentions, in_reply_to, poll, votes: {}, quote, attachments, emojis,
    published: Temporal.Now.instant().toString(),
    sent: [...readers, ...people].filter((r, n, all) => all.findIndex((o) => o.id === r.id) === n)
      .map((r) => ({ id: r.id, inbox: r.inbox, shared: to === "direct" ? null : r.shared ?? null })),
  };
  save();
  if (!quiet) await deliver(ctx, as, it.sent, activityOf(ctx, Create, it, `${id}/create`));
  return { id };
}

async function answer(ctx, { as = "open", in_reply_to, text, to = "public" }) {
  const arrived = state.received.find((it) => it.type === "Create" && it.object?.id === in_reply_to);
  const author = arrived?.actor ?? (await lookUp(ctx, as, in_reply_to))?.attributionId?.href;
  if (author == null) throw new Error(`${in_reply_to} could not be read`);
  return publish(ctx, { as, text, to, in_reply_to, mention: author });
}

async function change(ctx, { id, text = null }, type) {
  const it = state.notes[id];
  if (it == null) throw new Error(`no note ${id}`);
  if (type === Delete) it.deleted = true;
  else if (text != null) [it.text, it.updated] = [text, Temporal.Now.instant().toString()];
  save();
  await deliver(ctx, it.as, it.sent, activityOf(ctx, type, it, `${id}/${type === Delete ? "delete" : `update/${randomUUID()}`}`));
  return { id };
}

async function deliver(ctx, handle, people, activity) {
  for (const person of people) {
    console.log("sending", activity.constructor.name, "to", person.id);
  }
  await ctx.sendActivity({ identifier: handle }, people.map((p) => ({
    id: new URL(p.id), inboxId: new URL(p.inbox), endpoints: p.shared ? { sharedInbox: new URL(p.shared) } : null,
  })), activity, { preferSharedInbox: true });
}

async function lookUp(ctx, handle, address) {
  const documentLoader = await ctx.getDocumentLoader({ identifier: handle });
  return ctx.lookupObject(address, { documentLoader });
}

async function inboxOf(ctx, handle, address) {
  const actor = await lookUp(ctx, handle, address);
  if (!isActor(actor) || actor.inboxId == null) throw new Error(`${address} is nobody that can be found`);
  return { id: actor.id.href, inbox: actor.inboxId.href, shared: actor.endpoints?.sharedInbox?.href ?? null };
}

// ---- the control port ---------------------------------------------------------------------------------------------
const relations = (side) => HANDLES.flatMap((handle) => Object.entries(state[side][handle])
  .map(([actor, it]) => ({ as: handle, actor, state: it.state })));

const control = {
  "GET /control/ready": () => ({ software: "fedify", origin, actors: Object.fromEntries(HANDLES.map((h) => [h, {
    address: `@${h}@${new URL(origin).host}`, url: context().getActorUri(h).href,
  }])) }),
  "GET /control/received": () => ({ received: state.received }),
  "GET /control/wire": () => ({ wire: state.wire }),
  "GET /control/following": () => ({ following: relations("following") }),
  "GET /control/followers": () => ({ followers: relations("followers") }),
  "POST /control/webfinger": async (ctx, { address }) => ({ jrd: await ctx.lookupWebFinger(`acct:${address.replace(/^@/, "")}`) }),
  "POST /control/lookup": async (ctx, { as = "open", url }) => {
    const found = await lookUp(ctx, as, url);
    return { found: found == null ? null : await found.toJsonLd({ format: "compact", ...ctx }) };
  },
  "POST /control/follow": async (ctx, { as = "open", actor }) => {
    const target = await inboxOf(ctx, as, actor);
    const id = fresh("follows");
    state.following[as][target.id] = { state: "pending", follow: id.href, inbox: target.inbox };
    save();
    await deliver(ctx, as, [{ ...target, shared: null }],
      new Follow({ id, actor: ctx.getActorUri(as), object: new URL(target.id), to: new URL(target.id) }));
    return { id: id.href, actor: target.id };
  },
  "POST /control/unfollow": async (ctx, { as = "open", actor }) => {
    const target = await inboxOf(ctx, as, actor);
    const it = state.following[as][target.id];
    if (it == null) throw new Error(`${as} does not follow ${actor}`);
    delete state.following[as][target.id];
    save();
    await deliver(ctx, as, [{ ...target, shared: null }], new Undo({
      id: fresh("undos"), actor: ctx.getActorUri(as), to: new URL(target.id),
      object: new Follow({ id: new URL(it.follow), actor: ctx.getActorUri(as), object: new URL(target.id) }),
    }));
    return { actor: target.id };
  },
  "POST /control/accept": async (ctx, { as = "locked", actor }) => { await answerFollow(ctx, as, actor, true); return {}; },
  "POST /control/reject": async (ctx, { as = "locked", actor }) => { await answerFollow(ctx, as, actor, false); return {}; },
  "POST /control/post": publish,
  "POST /control/answer": answer,
  "POST /control/edit": (ctx, ask) => change(ctx, ask, Update),
  "POST /control/delete": (ctx, ask) => change(ctx, ask, Delete),
  ...doings({ state, save, fresh, publish, deliver, activityOf, lookUp, inboxOf }),
  ...controls,
  "POST /control/behave": (_ctx, ask) => Object.assign(behaviour, { answer: 429, retry_after: null, times: 1 }, ask),
};

// ---- two ports ----------------------------------------------------------------------------------------------------
async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

function send(response, status, headers, body) {
  response.writeHead(status, headers);
  response.end(body);
}

function noteOnWire(request, body, status) {
  let said = {};
  try {
    said = JSON.parse(body.toString());
  } catch { /* a GET, or not JSON: its line has no activity */ }
  state.wire.push({
    at: Date.now() / 1000, method: request.method, path: request.url, status, signed: signedWith(new Headers(request.headers)),
    type: said.type ?? null,
    id: said.id ?? null, proof: said.proof != null, agent: request.headers["user-agent"] ?? null,
  });
  save();
}

async function serve(request, response) {
  const body = await bodyOf(request);
  const isInbox = request.method === "POST" && request.url.endsWith("/inbox");
  if (isInbox && behaviour.times > 0) {
    behaviour.times -= 1;
    noteOnWire(request, body, behaviour.answer);
    const wait = behaviour.retry_after == null ? {} : { "Retry-After": String(behaviour.retry_after) };
    return send(response, behaviour.answer, wait, "as told");
  }
  const file = request.method === "GET" ? served(request.url) : null;
  if (file != null) {
    noteOnWire(request, body, 200);
    return send(response, 200, { "Content-Type": file.media_type }, file.bytes);
  }
  const asked = new Request(new URL(request.url, origin), {
    method: request.method, headers: request.headers, body: body.length ? body : undefined, duplex: "half",
  });
  let parsed = null;
  try {
    parsed = JSON.parse(body.toString());
  } catch { /* Fedify says what it thinks of it */ }
  const answered = await arriving.run({ body: parsed }, () => federation.fetch(asked, { contextData: undefined }));
  noteOnWire(request, body, answered.status);
  send(response, answered.status, Object.fromEntries(answered.headers), Buffer.from(await answered.arrayBuffer()));
}

async function steer(request, response) {
  const body = await bodyOf(request);
  const act = control[`${request.method} ${request.url}`];
  try {
    if (act == null) return send(response, 404, {}, "{}");
    const answered = await act(context(), body.length ? JSON.parse(body.toString()) : {});
    send(response, 200, { "Content-Type": "application/json" }, JSON.stringify(answered));
  } catch (error) {
    console.error(request.url, error);
    send(response, 500, { "Content-Type": "application/json" }, JSON.stringify({ error: String(error) }));
  }
}

const guarded = (act) => (request, response) => act(request, response).catch((error) => {
  console.error(request.url, error);
  if (!response.headersSent) send(response, 500, {}, "");
});
createServer(guarded(serve)).listen(Number(args.port), "127.0.0.1");
createServer(guarded(steer)).listen(Number(args.control), "127.0.0.1");
console.log(`fedify peer on ${origin}, told what to do on ${args.control}`);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
