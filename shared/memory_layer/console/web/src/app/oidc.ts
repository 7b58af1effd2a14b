// Sign-in at an issuer: OpenID Connect, code flow with PKCE (RFC 7636). State and verifier outlive the way there and
// back in the session storage of this tab, and are removed when they are used.

export interface OidcSettings {
  readonly issuer: string;
  readonly client_id: string;
  readonly scope: string;
  /** Which token the API takes. */
  readonly token: "access_token" | "id_token";
}

interface Endpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** What came of a sign-in: a token, or why there is none. */
export type SignedIn = { readonly token: string } | { readonly refusal: string };

export interface Attempt {
  readonly state: string;
  readonly verifier: string;
}

/** Attempt that leaves the page. Args: hash: place that was asked for. */
interface LeavingAttempt extends Attempt {
  readonly hash: string;
}

const KEY = "memory-layer-sign-in";
const NOT_BEGUN = "this sign-in was not begun here, or was used before; sign in again";

/** Leaves the page for the issuer's. */
export async function beginOidc(settings: OidcSettings): Promise<void> {
  const attempt: LeavingAttempt = { ...newAttempt(), hash: location.hash };
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
  location.assign(await addressOf(settings, attempt));
}

export function newAttempt(): Attempt {
  return { state: randomText(), verifier: randomText() };
}

/** Address at the issuer where a person signs in. */
export async function addressOf(settings: OidcSettings, attempt: Attempt): Promise<string> {
  const { authorization_endpoint } = await endpoints(settings);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: settings.client_id,
    redirect_uri: redirectUri(),
    scope: settings.scope,
    state: attempt.state,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: "S256",
  });
  return `${authorization_endpoint}?${query}`;
}

/** Token for the code that the issuer has sent back with; null: this page does not come from there. */
export async function endOidc(settings: OidcSettings): Promise<SignedIn | null> {
  const query = new URLSearchParams(location.search);
  const attempt = takeAttempt();
  if (!query.has("code") && !query.has("error")) return null;
  history.replaceState(null, "", `${location.pathname}${attempt?.hash ?? ""}`);
  return tokenFor(settings, query, attempt);
}

/** Token for an answer of the issuer. Args: attempt: that it has to be an answer to; null: none was begun. */
export async function tokenFor(
  settings: OidcSettings,
  query: URLSearchParams,
  attempt: Attempt | null,
): Promise<SignedIn> {
  const refusal = refusalOf(query, attempt, settings);
  if (refusal || !attempt) return { refusal: refusal ?? NOT_BEGUN };
  try {
    return await redeemed(settings, query.get("code") ?? "", attempt);
  } catch {
    return { refusal: `${settings.issuer} does not answer; sign in again later` };
  }
}

/** Why an answer is not believed. A foreign page may send one too: its state is not that of this tab. */
function refusalOf(query: URLSearchParams, attempt: Attempt | null, settings: OidcSettings): string | null {
  if (!attempt || query.get("state") !== attempt.state) return NOT_BEGUN;
  if (query.has("iss") && query.get("iss") !== settings.issuer) return NOT_BEGUN;
  const error = query.get("error");
  return error && `the issuer refused it: ${query.get("error_description") ?? error}`;
}

async function redeemed(settings: OidcSettings, code: string, attempt: Attempt): Promise<SignedIn> {
  const { token_endpoint } = await endpoints(settings);
  const answer = await fetch(token_endpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: settings.client_id,
      redirect_uri: redirectUri(),
      code,
      code_verifier: attempt.verifier,
    }),
  });
  const told = (await answer.json()) as Record<string, string | undefined>;
  const token = answer.ok && told[settings.token];
  if (token) return { token };
  return { refusal: `the issuer refused it: ${told.error_description ?? told.error ?? "it sent no token"}` };
}

function takeAttempt(): LeavingAttempt | null {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept ? (JSON.parse(kept) as LeavingAttempt) : null;
}

async function endpoints(settings: OidcSettings): Promise<Endpoints> {
  const answer = await fetch(`${settings.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()) as Endpoints;
}

function redirectUri(): string {
  return `${location.origin}${location.pathname}`;
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
