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

interface Attempt {
  readonly state: string;
  readonly verifier: string;
  readonly hash: string;
}

const KEY = "memory-layer-sign-in";

export async function beginOidc(settings: OidcSettings): Promise<void> {
  const attempt: Attempt = { state: randomText(), verifier: randomText(), hash: location.hash };
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
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
  location.assign(`${authorization_endpoint}?${query}`);
}

/** Token for the code that the issuer has sent back with; null: this page does not come from there. */
export async function endOidc(settings: OidcSettings): Promise<string | null> {
  const query = new URLSearchParams(location.search);
  const code = query.get("code");
  const attempt = takeAttempt();
  if (!code || !attempt) return null;
  history.replaceState(null, "", `${location.pathname}${attempt.hash}`);
  if (query.get("state") !== attempt.state) return null;
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
  if (!answer.ok) return null;
  const tokens = (await answer.json()) as Record<string, string | undefined>;
  return tokens[settings.token] ?? null;
}

function takeAttempt(): Attempt | null {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept ? (JSON.parse(kept) as Attempt) : null;
}

async function endpoints(settings: OidcSettings): Promise<Endpoints> {
  const answer = await fetch(`${settings.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
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
