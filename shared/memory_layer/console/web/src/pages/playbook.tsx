// Playbook: every learning in use with how often it helped and harmed, and the reorganised set that waits for a reviewer.

import { get } from "../api/client.ts";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { mayReview } from "../app/caller.ts";
import { linkTo, place } from "../app/router.ts";
import { count } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { BulletTable } from "./playbook/bullets.tsx";
import { Reorganisation } from "./playbook/reorganisation.tsx";

export default function PlaybookPage() {
  const project = place.value.project ?? "";
  const playbook = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/playbook", { path: { project }, signal }),
  );
  useChanges((event) => event.type.startsWith("memory."), playbook.refresh);
  const { value, problem } = playbook.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Playbook</h1>
        <span class="page-note">{value && `${count(value.total)} learnings in use`}</span>
      </header>
      {problem && <ProblemNotice problem={problem} retry={playbook.reload} />}
      {value?.note && (
        <div class="notice" data-tone="warn">
          {value.note}
        </div>
      )}
      {mayReview() && <Reorganisation project={project} />}
      {value && value.bullets.length > 0 && (
        <BulletTable caption="Learnings in use, in the order of the page" bullets={value.bullets} />
      )}
      {value && value.bullets.length === 0 && (
        <EmptyState title="No learning is in use yet">
          <p>
            Strategies, conventions and what runs teach stand here once they are in use.{" "}
            <a href={linkTo("runs")}>See what runs have taught</a>
          </p>
        </EmptyState>
      )}
    </div>
  );
}
