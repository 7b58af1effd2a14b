// Session: the token that opens the API. It lives in this module's memory and nowhere else.

import { signal } from "@preact/signals";
import { beginOidc, endOidc, type OidcSettings, type SignedIn } from "./oidc.ts";
import { handBack, signInByWindow } from "./oidc_window.ts";

export interface ConsoleConfig {
  readonly version: string;
  /** The API takes no call without a token. */
  readonly asks_for_tokens: boolean;
  readonly oidc: OidcSettings | null;
}

interface SessionAnswer {
  readonly token: string;
  readonly expires_at: string;
}

export type SignIn =
  | { readonly state: "open" }
  | { readonly state: "signed-in" }
  /** This window has signed in for the page that opened it, and has nothing to show. */
  | { readonly state: "handed-back" }
  | { readonly state: "needed"; readonly reason: string };

const RENEW_BEFORE_MS = 5 * 60_000;
const DEFAULTS: ConsoleConfig = { version: "", asks_for_tokens: false, oidc: null };

export const config = signal<ConsoleConfig>(DEFAULTS);
export const signIn = signal<SignIn>({ state: "open" });

let token: string | null = null;
let renewal: ReturnType<typeof setTimeout> | undefined;

export function bearer(): string | null {
  return token;
}

/** Reads the configuration, and redeems the token of the link or the code of an OIDC sign-in. */
export async function enter(): Promise<void> {
  config.value = await readConfig();
  const oneTime = takeFromAddress();
  if (oneTime) return redeem(oneTime);
  const { oidc } = config.value;
  if (oidc && (await handBack())) {
    signIn.value = { state: "handed-back" };
    return;
  }
  const found = oidc && (await endOidc(oidc));
  if (found) return settle(found);
  if (config.value.asks_for_tokens) signIn.value = { state: "needed", reason: "" };
}

async function readConfig(): Promise<ConsoleConfig> {
  const answer = await fetch("console/config.json", { cache: "no-store" });
  return answer.ok ? { ...DEFAULTS, ...((await answer.json()) as ConsoleConfig) } : DEFAULTS;
}

/** Signs in by what a person has pasted: a token of the API, or a link with a one-time token. */
export async function enterByGiven(given: string): Promise<void> {
  const oneTime = /#token=([\w-]+)/.exec(given)?.[1];
  if (!oneTime) return useToken(given);
  await redeem(oneTime).catch(() => askToSignIn("the server does not answer; try again"));
}

/** One-time token of the link, which leaves address and history at once. */
function takeFromAddress(): string | null {
  const found = /^#token=([\w-]+)(.*)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", `${location.pathname}${found[2] ? `#${found[2]}` : ""}`);
  return found[1] ?? null;
}

async function redeem(oneTime: string): Promise<void> {
  const answer = await fetch("console/session", {
    method: "POST",
    headers: { authorization: `Bearer ${oneTime}` },
  });
  if (answer.ok) return keepSession((await answer.json()) as SessionAnswer);
  const problem = (await answer.json()) as { detail?: string };
  askToSignIn(problem.detail ?? "the link opens nothing; print a fresh one with: mem console");
}

function keepSession(session: SessionAnswer): void {
  useToken(session.token);
  const left = Date.parse(session.expires_at) - Date.now() - RENEW_BEFORE_MS;
  clearTimeout(renewal);
  renewal = setTimeout(() => void renew(), Math.max(left, 10_000));
}

async function renew(): Promise<void> {
  if (token) await redeem(token);
}

/** Takes a token of the API that a person has pasted, or that an issuer has given. */
export function useToken(given: string): void {
  token = given.trim();
  signIn.value = { state: "signed-in" };
}

export function askToSignIn(reason: string): void {
  token = null;
  clearTimeout(renewal);
  signIn.value = { state: "needed", reason };
}

/** Goes on without a session, where the server asks for none. */
export function goOnWithout(): void {
  token = null;
  signIn.value = { state: "open" };
}

function settle(found: SignedIn): void {
  if ("token" in found) useToken(found.token);
  else askToSignIn(found.refusal);
}

/** Takes what came of a window, unless a person has signed in another way since. */
function settleIfNeeded(found: SignedIn): void {
  if (signIn.value.state === "needed") settle(found);
}

/** Signs in at the issuer. Args: staysHere: in a window over this page, of which nothing is lost. */
export function beginIssuerSignIn(staysHere: boolean): void {
  const { oidc } = config.value;
  if (!oidc) return;
  const begun = staysHere ? signInByWindow(oidc).then(settleIfNeeded) : beginOidc(oidc);
  begun.catch(() =>
    settleIfNeeded({ refusal: `${oidc.issuer} does not answer; sign in later, or paste a token` }),
  );
}
