// Sign-in: by a fresh link, at the issuer where there is one, or by a pasted token. Where a session has ended it stands
// over the page, which keeps what was typed.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../widgets/button.tsx";
import { TextField } from "../widgets/field.tsx";
import { Icon } from "../widgets/icon.tsx";
import { beginIssuerSignIn, config, enterByGiven, goOnWithout } from "./session.ts";

interface SignInProps {
  reason: string;
  /** There is a page behind it, which goes on when the same person has signed in. */
  isAgain: boolean;
}

export function SignInPage({ reason, isAgain }: SignInProps) {
  return isAgain ? <SignInAgain reason={reason} /> : <SignInChoices reason={reason} />;
}

/** Stands over all dialogs of the page, and is not closed by a key. */
function SignInAgain({ reason }: { reason: string }) {
  const held = useRef<HTMLDialogElement>(null);
  const show = () => held.current?.showModal();
  useEffect(show, []);
  return (
    <dialog
      class="sign-in-again"
      aria-label="Sign in again"
      ref={held}
      onCancel={(event) => event.preventDefault()}
      onClose={show}
    >
      <SignInChoices
        reason={reason}
        note="What you have typed is still here, and is shown once you are signed in."
      />
    </dialog>
  );
}

function SignInChoices({ reason, note }: { reason: string; note?: string }) {
  const { oidc, asks_for_tokens } = config.value;
  return (
    <SignInCard>
      {reason && (
        <p class="notice" data-tone="warn" role="alert">
          {reason}
        </p>
      )}
      {note && <p>{note}</p>}
      {oidc ? (
        <Button kind="primary" onClick={() => beginIssuerSignIn(note !== undefined)}>
          {note ? "Sign in, in a window" : "Sign in"}
        </Button>
      ) : (
        <p>
          For a link that signs you in, run <code>mem console</code> where the server runs.
        </p>
      )}
      {!asks_for_tokens && !oidc && <Button onClick={goOnWithout}>Go on without signing in</Button>}
      <TokenForm />
    </SignInCard>
  );
}

/** What a window shows that has signed in for another page and could not close itself. */
export function SignedInElsewhere() {
  return (
    <SignInCard>
      <p role="status">You are signed in on the page that asked for it. Close this window.</p>
    </SignInCard>
  );
}

function SignInCard({ children }: { children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>
          <Icon name="brand" size={22} /> Memory Layer
        </h1>
        {children}
      </div>
    </main>
  );
}

function TokenForm() {
  const [token, setToken] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (token.trim()) void enterByGiven(token);
  };
  return (
    <form class="field" onSubmit={submit}>
      <TextField
        label="Or paste a token or the link"
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
