// Notices: what went wrong, with the id of the request; and the empty state, with the next step.

import type { ComponentChildren } from "preact";
import type { ApiProblem } from "../api/problem.ts";
import { Button } from "./button.tsx";

export function ProblemNotice({ problem, retry }: { problem: ApiProblem; retry?: () => void }) {
  return (
    <div class="notice" data-tone="bad" role="alert">
      <div class="notice-text">
        <h2>{problem.title}</h2>
        <p>{problem.detail}</p>
        {problem.requestId && (
          <p class="soft">
            Request <code>{problem.requestId}</code>
          </p>
        )}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
