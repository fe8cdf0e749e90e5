// What is marked with data-passkeys or data-passkey is shown where the browser has passkeys (WebAuthn). A form with
// data-passkey asks the browser as that says, {"create" or "get": options}, and is sent with what the browser answers.
// Bytes are base64url on the way in and out.
"use strict";

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

function answered({ rawId, response, type }) {
  const said = PARTS.filter((part) => response[part] instanceof ArrayBuffer).map((part) => [part, text(response[part])]);
  return JSON.stringify({ id: text(rawId), rawId: text(rawId), type, response: Object.fromEntries(said) });
}

async function ask(form) {
  const [[how, options]] = Object.entries(JSON.parse(form.dataset.passkey));
  const publicKey = { ...options, challenge: bytes(options.challenge) };
  if (how === "create") {
    publicKey.user = { ...options.user, id: bytes(options.user.id) };
    publicKey.excludeCredentials = options.excludeCredentials.map((each) => ({ ...each, id: bytes(each.id) }));
  }
  return answered(await navigator.credentials[how]({ publicKey }));
}

function complain(form, problem) {
  const lines = [...form.querySelectorAll("[data-problem]")];
  const said = lines.find((line) => line.dataset.problem === problem) ?? lines[0];
  for (const line of lines) line.hidden = problem === null || line !== said;
}

async function send(event) {
  const form = event.currentTarget;
  const button = form.querySelector("button");
  event.preventDefault();
  button.disabled = true;
  complain(form, null);
  try {
    form.elements.namedItem("passkey").value = await ask(form);
    form.submit();
  } catch (error) {
    complain(form, error.name);
  } finally {
    button.disabled = false;
  }
}

if (window.isSecureContext && window.PublicKeyCredential) {
  for (const each of document.querySelectorAll("[data-passkeys], [data-passkey]")) each.hidden = false;
  for (const form of document.querySelectorAll("form[data-passkey]")) form.addEventListener("submit", send);
}
