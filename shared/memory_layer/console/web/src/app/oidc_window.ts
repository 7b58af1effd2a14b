// Sign-in at an issuer in a window of its own, while the page that asks for it stays with what was typed. The window
// comes back to this origin and hands the issuer's answer to that page, which alone knows state and verifier: a window
// has no opener by then, since the page's opener policy and the issuer's differ.

import { type Attempt, addressOf, newAttempt, type OidcSettings, type SignedIn, tokenFor } from "./oidc.ts";

const CHANNEL = "memory-layer-sign-in";
/** Begins the state of an attempt whose answer belongs to another page than the one that it comes back to. */
const OF_WINDOW = "window.";
const WINDOW = "popup,width=520,height=720";
const TAKEN_MS = 5_000;
const BLOCKED = "the browser keeps this page from opening a window; allow it, or paste a token";

/** Answer of the issuer, as its address has it; or the state of one that was taken. */
type Told = { readonly answer: string } | { readonly taken: string };

/** Opens the issuer's page, and resolves to what comes of it: never, where the window is closed before. */
export async function signInByWindow(settings: OidcSettings): Promise<SignedIn> {
  const shown = window.open("about:blank", "_blank", WINDOW);
  if (!shown) return { refusal: BLOCKED };
  shown.opener = null;
  const made = newAttempt();
  const attempt = { ...made, state: OF_WINDOW + made.state };
  const answer = answerTo(attempt);
  try {
    shown.location.replace(await addressOf(settings, attempt));
  } catch (error) {
    shown.close();
    throw error;
  }
  return tokenFor(settings, await answer, attempt);
}

/** Channel of the attempt that waits for its answer: a new one takes its place. */
let waiting: BroadcastChannel | null = null;

function answerTo({ state }: Attempt): Promise<URLSearchParams> {
  waiting?.close();
  const channel = new BroadcastChannel(CHANNEL);
  waiting = channel;
  return new Promise((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<Told>) => {
      const query = new URLSearchParams("answer" in data ? data.answer : "");
      if (query.get("state") !== state) return;
      channel.postMessage({ taken: state } satisfies Told);
      channel.close();
      resolve(query);
    };
  });
}

/** Hands an answer of the issuer that this window came back with to the page that waits for it, and closes the window.

    Resolves to false where it is no such answer, or no page takes it. */
export async function handBack(): Promise<boolean> {
  const query = new URLSearchParams(location.search);
  const state = query.get("state");
  if (!state?.startsWith(OF_WINDOW) || !(await isTaken(state, query.toString()))) return false;
  history.replaceState(null, "", location.pathname);
  window.close();
  return true;
}

function isTaken(state: string, answer: string): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  const taken = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), TAKEN_MS);
    channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if ("taken" in data && data.taken === state) resolve(true);
    };
  });
  channel.postMessage({ answer } satisfies Told);
  return taken.finally(() => channel.close());
}
