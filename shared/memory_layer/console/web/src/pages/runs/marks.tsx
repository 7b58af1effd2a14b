// Marks of a run: how it ended, and what it says of the memories that it used.

import type { Schemas } from "../../api/client.ts";
import { Badge, type Tone } from "../../widgets/badge.tsx";

type Run = Schemas["RunAnswer"];

const STATUS: Record<Schemas["RunStatus"], Tone> = { completed: "good", failed: "bad", crashed: "warn" };
const VERDICT: Record<Schemas["OutcomeResult"], Tone> = { worked: "good", failed: "bad", partial: "warn" };

export function RunMarks({ run }: { run: Run }) {
  return (
    <span class="chips">
      <Badge tone={STATUS[run.status]}>{run.status}</Badge>
      {run.verdict && <Badge tone={VERDICT[run.verdict]}>memories {run.verdict}</Badge>}
      {run.failed_by && <Badge tone="warn">stopped by {run.failed_by}</Badge>}
      {!run.finished_at && <Badge tone="info">being learned from</Badge>}
    </span>
  );
}
