// Files: what people here attach to their notes and serve, and what Fedify reads of those of others.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import * as vocabulary from "@fedify/fedify/vocab";

const { Activity, Create, Emoji, Image } = vocabulary;

const linkOf = (url) => (url?.href instanceof URL ? url.href : url)?.href ?? null; // a Link, or a URL

// An attachment, and an emoji, as `post` is told of them.
export const attachmentOf = ({ type, url, media_type: mediaType, alt: name, width, height }) =>
  new vocabulary[type]({ url: new URL(url), mediaType, name, width, height });
export const emojiOf = ({ name, url, media_type: mediaType }) =>
  new Emoji({ id: new URL(`${url}#emoji`), name, icon: new Image({ url: new URL(url), mediaType }) });

// What the control port gains, and what is served.
export function files({ state, save, origin }) {
  async function keep(_ctx, { path, media_type }) {
    const at = `/files/${randomUUID()}`;
    state.files[at] = { path, media_type };
    save();
    return { url: origin + at };
  }

  // What Fedify makes of the files and the emojis of an activity that arrived.
  async function decoded(ctx, { id }) {
    const raw = state.received.find((it) => it.id === id);
    const activity = await Activity.fromJsonLd(raw, ctx);
    const said = activity instanceof Create ? await activity.getObject(ctx) : activity;
    const [attachments, emojis] = [[], []];
    for await (const it of said.getAttachments(ctx)) {
      attachments.push({
        media_type: it.mediaType, url: linkOf(it.url), alt: it.name?.toString() ?? "", width: it.width, height: it.height,
        preview: linkOf((await it.getIcon(ctx))?.url),
      });
    }
    for await (const it of said.getTags(ctx)) {
      if (!(it instanceof Emoji)) continue;
      const icon = await it.getIcon(ctx);
      emojis.push({ name: it.name.toString(), url: linkOf(icon.url), media_type: icon.mediaType });
    }
    return { attachments, emojis };
  }

  async function download(_ctx, { url }) {
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer()).toString("base64");
    return { status: response.status, media_type: response.headers.get("content-type"), bytes };
  }

  return {
    controls: { "POST /control/keep": keep, "POST /control/decoded": decoded, "POST /control/download": download },
    served: (path) => state.files[path] && { ...state.files[path], bytes: readFileSync(state.files[path].path) },
  };
}
