// What people here do with the posts of others: likes, boosts, votes, pins, quotes, a move; and threads, long and read.
import { randomUUID } from "node:crypto";
import { Temporal } from "@js-temporal/polyfill";
import * as vocabulary from "@fedify/fedify/vocab";
import { emojiOf } from "./files.mjs";

const { Activity, Create, Note, PUBLIC_COLLECTION, Undo } = vocabulary;

// What the control port gains, made of what the peer has.
export function doings({ state, save, fresh, publish, deliver, activityOf, lookUp, inboxOf }) {
  // A quote that was asked for gets its stamp, and goes out.
  async function stamp(ctx, { id, stamp: uri }) {
    const it = state.notes[id];
    it.stamp = uri;
    save();
    await deliver(ctx, it.as, it.sent, activityOf(ctx, Create, it, `${id}/create`));
    return { id };
  }

  // A chain of notes, each answering the one before, that are sent to nobody: they are to be found.
  async function chain(ctx, { depth, text }) {
    const ids = [];
    for (let n = 0; n < depth; n += 1) {
      const as = n % 2 ? "leaving" : "open";
      ids.push((await publish(ctx, { as, text: `${text} ${n}`, in_reply_to: ids.at(-1) ?? null, quiet: true })).id);
    }
    return { ids };
  }

  // What a thread of another server is from here: from one of its posts up to the first, and what that one lists.
  async function climb(ctx, { as = "open", url }) {
    const loader = await ctx.getDocumentLoader({ identifier: as });
    const read = async (at) => (await loader(at)).document;
    const up = [];
    let at = url, document = null;
    while (at != null && up.length < 100) {
      const note = await lookUp(ctx, as, at);
      document = await read(at);
      up.push(note.id.href);
      at = note.replyTargetId?.href;
    }
    const listed = [];
    let page = (await read(document.context)).first;
    while (page != null && listed.length < 100) {
      page = typeof page === "string" ? await read(page) : page;
      listed.push(...(page.orderedItems ?? page.items ?? []));
      page = page.next;
    }
    return { up, listed };
  }

  // An activity that is said in a few words: its type, what it is about and whom it goes to.
  async function act(ctx, {
    as = "open", type, to, object, target = null, instrument = null, content = null, emojis = [],
  }) {
    const people = await Promise.all(to.map((each) => inboxOf(ctx, as, each)));
    const id = fresh("acts");
    const url = (text) => text == null ? {} : new URL(text);
    const activity = new vocabulary[type]({
      id, actor: ctx.getActorUri(as), object: url(object),
      ...(target ? { target: url(target) } : {}), ...(instrument ? { instrument: url(instrument) } : {}),
      ...(content ? { content } : {}), tags: emojis.map(emojiOf),
      ...(["Announce", "Add", "Remove", "Move"].includes(type)
        ? { to: PUBLIC_COLLECTION, cc: ctx.getFollowersUri(as), published: Temporal.Now.instant() }
        : { tos: people.map((person) => new URL(person.id)) }),
    });
    state.acts[id.href] = { as, to, document: await activity.toJsonLd({ format: "compact", ...ctx }) };
    save();
    await deliver(ctx, as, people, activity);
    return { id: id.href };
  }

  async function undo(ctx, { id }) {
    const it = state.acts[id];
    const people = await Promise.all(it.to.map((each) => inboxOf(ctx, it.as, each)));
    await deliver(ctx, it.as, people, new Undo({
      id: fresh("undos"), actor: ctx.getActorUri(it.as), tos: people.map((person) => new URL(person.id)),
      object: await Activity.fromJsonLd(it.document, ctx),
    }));
    return { id };
  }

  async function vote(ctx, { as = "open", url, name }) {
    const asked = await lookUp(ctx, as, url);
    const author = await inboxOf(ctx, as, asked.attributionId.href);
    const id = ctx.getObjectUri(Note, { identifier: as, id: randomUUID() });
    await deliver(ctx, as, [{ ...author, shared: null }], new Create({
      id: new URL(`${id.href}/create`), actor: ctx.getActorUri(as), to: new URL(author.id),
      object: new Note({ id, attribution: ctx.getActorUri(as), name, replyTarget: asked.id, to: new URL(author.id) }),
    }));
    return { id: id.href };
  }

  async function pin(ctx, { id, to }) {
    const { as } = state.notes[id];
    state.pins.push(id);
    return act(ctx, { as, type: "Add", object: id, target: ctx.getFeaturedUri(as).href, to });
  }

  async function move(ctx, { as = "leaving", target = "open", to }) {
    const [me, other] = [ctx.getActorUri(as).href, ctx.getActorUri(target).href];
    state.moved[as] = other;
    return act(ctx, { as, type: "Move", object: me, target: other, to });
  }

  return {
    "POST /control/act": act,
    "POST /control/undo": undo,
    "POST /control/vote": vote,
    "POST /control/pin": pin,
    "POST /control/move": move,
    "POST /control/stamp": stamp,
    "POST /control/chain": chain,
    "POST /control/climb": climb,
  };
}
