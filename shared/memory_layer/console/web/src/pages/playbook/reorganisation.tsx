// The reorganised playbook beside the present one: what would become one, with what it would say, to accept or drop.

import { useState } from "preact/hooks";
import { get } from "../../api/client.ts";
import { useChanges } from "../../api/events.ts";
import { useLoaded } from "../../api/load.ts";
import { type ApiProblem, asProblem } from "../../api/problem.ts";
import { Button } from "../../widgets/button.tsx";
import { count } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { TableFrame } from "../../widgets/table_frame.tsx";
import { toast } from "../../widgets/toast.tsx";
import type { Bullet } from "./bullets.tsx";
import { accept, type Decided, drop, type Proposal, type Union } from "./decisions.ts";

export function Reorganisation({ project }: { project: string }) {
  const proposal = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/playbook/reorganisation", { path: { project }, signal }),
  );
  useChanges((event) => event.type.startsWith("memory."), proposal.refresh);
  const [refused, setRefused] = useState<ApiProblem | null>(null);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const { value, problem } = proposal.state.value;
  const decide = async (says: string, send: () => Promise<Decided>) => {
    setBusy(true);
    try {
      const { result, undo } = await send();
      setRefused(null);
      setProblems(result.problems);
      toast(`${count(result.done)} ${says}`, undo && (() => undo().finally(proposal.reload)));
    } catch (error) {
      setRefused(asProblem(error));
    }
    setBusy(false);
    proposal.reload();
  };
  const id = value?.id;
  return (
    <>
      {problem && <ProblemNotice problem={problem} retry={proposal.reload} />}
      {refused && <ProblemNotice problem={refused} />}
      {problems.length > 0 && <Refused problems={problems} />}
      {value && id && (
        <section class="card" aria-label="Reorganised playbook">
          <div class="card-head">
            <h2>Reorganised playbook</h2>
            <span class="soft">
              {count(value.present.length)} learnings now, {count(value.proposed.length)} then
            </span>
          </div>
          <p class="soft">
            What says nearly the same would become one, with the counts of all. Accepting can be undone; what
            is dropped stays apart, and is not proposed again.
          </p>
          <Unions proposal={value} />
          <div class="toolbar">
            <Button
              kind="primary"
              disabled={isBusy}
              onClick={() => void decide("united", () => accept(project, id, value.unions))}
            >
              Accept
            </Button>
            <Button disabled={isBusy} onClick={() => void decide("kept apart", () => drop(project, id))}>
              Drop
            </Button>
          </div>
        </section>
      )}
    </>
  );
}

function Refused({ problems }: { problems: readonly string[] }) {
  return (
    <div class="notice" data-tone="warn" role="alert">
      <div class="notice-text">
        <h2>Some stay as they were</h2>
        <ul>
          {problems.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Unions({ proposal }: { proposal: Proposal }) {
  const present = new Map(proposal.present.map((one) => [one.id, one]));
  const proposed = new Map(proposal.proposed.map((one) => [one.id, one]));
  return (
    <TableFrame label="What would become one">
      <table class="table">
        <caption class="visually-hidden">What would become one</caption>
        <thead>
          <tr>
            <th scope="col">Now</th>
            <th scope="col">Then</th>
          </tr>
        </thead>
        <tbody>
          {proposal.unions.map((union) => (
            <tr key={union.into}>
              <td class="cell-words">
                {[union.into, ...union.others].map((id) => (
                  <Said key={id} id={id} bullet={present.get(id)} />
                ))}
              </td>
              <td class="cell-words">
                <Said id={union.into} bullet={proposed.get(union.into)} words={union.content} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Said({ id, bullet, words }: { id: Union["into"]; bullet: Bullet | undefined; words?: string }) {
  return (
    <div class="memory-line-text">
      <p>{words ?? bullet?.content ?? id}</p>
      {bullet && (
        <p class="memory-line-meta">
          helped {count(bullet.helpful)}, harmed {count(bullet.harmful)}
        </p>
      )}
    </div>
  );
}
