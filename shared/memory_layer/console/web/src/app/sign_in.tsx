// Sign-in: by a fresh link, at the issuer where there is one, or by a pasted token.

import { useState } from "preact/hooks";
import { Button } from "../widgets/button.tsx";
import { TextField } from "../widgets/field.tsx";
import { Icon } from "../widgets/icon.tsx";
import { beginIssuerSignIn, config, goOnWithout, useToken } from "./session.ts";

export function SignInPage({ reason }: { reason: string }) {
  const { oidc, asks_for_tokens } = config.value;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>
          <Icon name="brand" size={22} /> Memory Layer
        </h1>
        {reason && (
          <p class="notice" data-tone="warn" role="alert">
            {reason}
          </p>
        )}
        {oidc ? (
          <Button kind="primary" onClick={beginIssuerSignIn}>
            Sign in
          </Button>
        ) : (
          <p>
            For a link that signs you in, run <code>mem console</code> where the server runs.
          </p>
        )}
        {!asks_for_tokens && !oidc && <Button onClick={goOnWithout}>Go on without signing in</Button>}
        <TokenForm />
      </div>
    </main>
  );
}

function TokenForm() {
  const [token, setToken] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (token.trim()) useToken(token);
  };
  return (
    <form class="field" onSubmit={submit}>
      <TextField
        label="Or paste a token"
        type="password"
        value={token}
        onChange={setToken}
        hint="It stays in this page's memory, until the page is left."
      />
      <div class="toolbar">
        <Button type="submit">Use this token</Button>
      </div>
    </form>
  );
}
