// A program that runs in a browser, on a page of its own origin: once on each of two libraries, of which many are made.
// What it does with them is the same, and is called by the test, which plays the person at the page.

import { OAuth2Client } from "@badgateway/oauth2-client";
import { createOAuthAPIClient, createRestAPIClient, createStreamingAPIClient } from "masto";
import megalodon from "megalodon";

const NAME = "A program";
const SCOPES = ["read", "write", "follow"];

class Masto {
  constructor(url, accessToken) {
    this.url = url;
    this.token = accessToken;
    this.rest = createRestAPIClient({ url, accessToken });
    this.oauth = createOAuthAPIClient({ url });
  }

  async register(back) {
    const app = await this.rest.v1.apps.create({ clientName: NAME, redirectUris: back, scopes: SCOPES.join(" ") });
    return { id: app.clientId, secret: app.clientSecret };
  }

  async address(app, back, state, challenge) {
    const asked = {
      response_type: "code", client_id: app.id, redirect_uri: back, scope: SCOPES.join(" "), state,
      code_challenge: challenge, code_challenge_method: "S256",
    };
    return `${this.url}/oauth/authorize?${new URLSearchParams(asked)}`;
  }

  async redeem(app, back, code, codeVerifier) {
    const asked = { grantType: "authorization_code", clientId: app.id, clientSecret: app.secret, redirectUri: back };
    return (await this.oauth.token.create({ ...asked, code, codeVerifier, scope: SCOPES.join(" ") })).accessToken;
  }

  async me() {
    const me = await this.rest.v1.accounts.verifyCredentials();
    return { acct: me.acct, avatar: me.avatar };
  }

  // Page by page, one post on each, as the Link header leads.
  async home() {
    const found = [];
    for await (const page of this.rest.v1.timelines.home.list({ limit: 1 })) found.push(...page);
    return found.map(plain);
  }

  async write(status, picture) {
    const medium = await this.rest.v2.media.create({ file: picture, description: "A square" });
    const made = await this.rest.v1.statuses.create(
      { status, mediaIds: [medium.id], visibility: "unlisted" },
      { requestInit: { headers: { "Idempotency-Key": crypto.randomUUID() } } },
    );
    return plain(made);
  }

  async boost(id) {
    return plain(await this.rest.v1.statuses.$select(id).reblog());
  }

  // The library shows the token as the protocol of the WebSocket.
  async listen(told) {
    const instance = await this.rest.v2.instance.fetch();
    const stream = createStreamingAPIClient({
      streamingApiUrl: instance.configuration.urls.streaming, accessToken: this.token, retry: false,
    });
    const user = stream.user.subscribe();
    (async () => {
      for await (const event of user) told(event.event, event.payload);
    })();
    await stream.prepare();
    return () => stream.close();
  }

  async remaining() {
    const { headers } = await this.rest.v1.accounts.verifyCredentials.$raw();
    return headers.get("x-ratelimit-remaining");
  }

  async revoke(app) {
    await this.oauth.revoke({ clientId: app.id, clientSecret: app.secret, token: this.token });
  }

  static status(error) {
    return error.statusCode;
  }
}

class Megalodon {
  constructor(url, accessToken) {
    this.url = url;
    this.token = accessToken;
    this.client = megalodon("mastodon", url, accessToken);
  }

  async register(back) {
    const app = await this.client.registerApp(NAME, { scopes: SCOPES, redirect_uris: back });
    return { id: app.client_id, secret: app.client_secret };
  }

  // It knows of no challenge; the library that it asks by knows, and finds out by itself where to ask.
  async address(app, back, state, _challenge, codeVerifier) {
    return this.asking(app).authorizationCode.getAuthorizeUri({ redirectUri: back, scope: SCOPES, state, codeVerifier });
  }

  async redeem(app, back, code, codeVerifier) {
    return (await this.asking(app).authorizationCode.getToken({ code, redirectUri: back, codeVerifier })).accessToken;
  }

  asking(app) {
    return new OAuth2Client({ server: this.url, clientId: app.id, clientSecret: app.secret });
  }

  async me() {
    const { data } = await this.client.verifyAccountCredentials();
    return { acct: data.acct, avatar: data.avatar };
  }

  async home() {
    const found = [];
    let older;
    do {
      const { data, headers } = await this.client.getHomeTimeline({ limit: 1, max_id: older });
      found.push(...data.map(plain));
      older = /[?&]max_id=([^&>]+)[^>]*>; rel="next"/.exec(headers.link ?? "")?.[1];
    } while (older);
    return found;
  }

  async write(status, picture) {
    const { data: medium } = await this.client.uploadMedia(picture, { description: "A square" });
    let kept = medium;
    while (!kept.url) kept = (await this.client.getMedia(medium.id)).data;
    return plain((await this.client.postStatus(status, { media_ids: [medium.id], visibility: "unlisted" })).data);
  }

  async boost(id) {
    return plain((await this.client.reblogStatus(id)).data);
  }

  // The library shows the token in the query of the WebSocket.
  async listen(told) {
    const stream = await this.client.userStreaming();
    for (const kind of ["update", "notification", "delete"]) stream.on(kind, (payload) => told(kind, payload));
    await new Promise((resolve) => stream.on("connect", resolve));
    return () => stream.stop();
  }

  async remaining() {
    return (await this.client.verifyAccountCredentials()).headers["x-ratelimit-remaining"];
  }

  async revoke(app) {
    await this.client.revokeToken(app.id, app.secret, this.token);
  }

  static status(error) {
    return error.response.status;
  }
}

const LIBRARIES = { masto: Masto, megalodon: Megalodon };

// What a test compares of a post, whichever library spells it.
function plain(post) {
  const inside = post.reblog && plain(post.reblog);
  const pictures = (post.mediaAttachments ?? post.media_attachments).map((each) => each.url);
  return { id: post.id, acct: post.account.acct, content: post.content, pictures, boosts: inside ?? null };
}

// The post that an event is about.
const about = (payload) => payload.status?.id ?? payload.id ?? (typeof payload === "string" ? payload : undefined);

// Whether a page of another origin may read what is at an address: by a request, and the pixels of a picture.
async function mayRead(address) {
  const answer = await fetch(address);
  const bytes = (await answer.arrayBuffer()).byteLength;
  const picture = new Image();
  picture.crossOrigin = "anonymous";
  picture.src = address;
  await picture.decode();
  const canvas = new OffscreenCanvas(1, 1).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  return answer.ok && bytes > 0 && canvas.getImageData(0, 0, 1, 1).data.length === 4;
}

async function square() {
  const canvas = new OffscreenCanvas(60, 60);
  const drawing = canvas.getContext("2d");
  drawing.fillStyle = "teal";
  drawing.fillRect(0, 0, 60, 60);
  return new File([await canvas.convertToBlob({ type: "image/png" })], "square.png", { type: "image/png" });
}

const coded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const secret = () => coded(crypto.getRandomValues(new Uint8Array(32)));

// What the person at the page does, in this order. Between the first two the browser is at the server's own pages.
const fronts = {
  async begin(library, url) {
    const back = location.origin + "/";
    const [state, verifier] = [secret(), secret()];
    const challenge = coded(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
    const client = new LIBRARIES[library](url);
    const app = await client.register(back);
    sessionStorage.setItem("kept", JSON.stringify({ library, url, back, app, state, verifier }));
    return client.address(app, back, state, challenge, verifier);
  },

  async comeBack() {
    const { library, url, back, app, state, verifier } = JSON.parse(sessionStorage.getItem("kept"));
    const said = new URLSearchParams(location.search);
    if (said.get("state") !== state) throw new Error("this is not the answer to what was asked");
    const token = await new LIBRARIES[library](url).redeem(app, back, said.get("code"), verifier);
    Object.assign(this, { app, url, token, of: LIBRARIES[library], client: new LIBRARIES[library](url, token) });
    const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    return { ...(await this.client.me()), issued: said.get("iss") === metadata.issuer };
  },

  async listen() {
    this.heard = { socket: [], fetched: [], source: [] };
    this.over = { fetched: false };
    this.stop = await this.client.listen((kind, payload) => this.heard.socket.push([kind, about(payload)]));
    const address = `${this.url}/api/v1/streaming/user`;
    this.source = new EventSource(`${address}?access_token=${this.token}`);
    for (const kind of ["update", "notification", "delete"]) {
      this.source.addEventListener(kind, ({ data }) => this.heard.source.push([kind, about(JSON.parse(data)) ?? data]));
    }
    await new Promise((resolve) => { this.source.onopen = resolve; });
    const answer = await fetch(address, { headers: { Authorization: `Bearer ${this.token}` } });
    this.readStream(answer.body.pipeThrough(new TextDecoderStream()).getReader());
    return [answer.status, answer.headers.get("content-type")];
  },

  async readStream(reader) {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done) break;
      text += value;
      const events = text.split("\n\n");
      text = events.pop();
      for (const event of events) {
        const [, kind, data] = /event: (.*)\ndata: (.*)/.exec(event) ?? [];
        if (kind) this.heard.fetched.push([kind, about(JSON.parse(data)) ?? data]);
      }
    }
    this.over.fetched = true;
  },

  home() { return this.client.home(); },
  async write(text) { return this.client.write(text, await square()); },
  boost(id) { return this.client.boost(id); },
  mayRead,
  remaining() { return this.client.remaining(); },

  async signOut() {
    await this.client.revoke(this.app);
    return this.client.me().then(() => 200, (error) => this.of.status(error));
  },
};

window.fronts = fronts;
