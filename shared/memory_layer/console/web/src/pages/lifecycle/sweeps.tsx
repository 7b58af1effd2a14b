// Sweeps: what each does again and again, and the counts of its last run.

import { type Answer, get } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { useShortcuts } from "../../app/shortcuts.ts";
import { Badge } from "../../widgets/badge.tsx";
import { Button } from "../../widgets/button.tsx";
import { count, Moment } from "../../widgets/moment.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { type Column, Table } from "../../widgets/table.tsx";

type Sweep = Answer<"/v1/sweeps", "get">["sweeps"][number];

const PERIODS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [10_080, "week"],
  [1_440, "day"],
  [60, "hour"],
  [1, "minute"],
];

const COLUMNS: readonly Column<Sweep>[] = [
  { name: "name", title: "Sweep", show: (row) => <Named sweep={row} />, class: "sweep-what" },
  { name: "every", title: "Every", show: (row) => periodText(row.every_minutes), class: "cell-short" },
  { name: "last", title: "Last run", show: (row) => <LastRun sweep={row} />, class: "cell-short" },
  { name: "did", title: "Did", show: (row) => <Did sweep={row} />, class: "sweep-what" },
];

export function SweepTable() {
  const sweeps = useLoaded("sweeps", (signal) => get("/v1/sweeps", { signal }));
  useShortcuts([{ keys: "r", does: "Read the sweeps anew", run: sweeps.reload }]);
  const { value, problem, isLoading } = sweeps.state.value;
  return (
    <section class="card" aria-labelledby="sweeps">
      <div class="card-head">
        <h2 id="sweeps">Sweeps</h2>
        <span>
          <span class="soft">over all projects </span>
          <Button onClick={sweeps.reload} disabled={isLoading}>
            Read anew
          </Button>
        </span>
      </div>
      {problem && <ProblemNotice problem={problem} retry={sweeps.reload} />}
      {value && (
        <Table
          caption="Sweeps, with what each last did"
          rows={value.sweeps}
          columns={COLUMNS}
          keyOf={(row) => row.name}
          isBusy={isLoading}
        />
      )}
    </section>
  );
}

function Named({ sweep }: { sweep: Sweep }) {
  return (
    <>
      <strong>{sweep.name}</strong> {sweep.is_running && <Badge tone="info">running</Badge>}
      <div class="soft">{sweep.purpose}</div>
    </>
  );
}

function LastRun({ sweep }: { sweep: Sweep }) {
  return sweep.last_report ? <Moment at={sweep.last_report.ended_at} /> : <span class="soft">never</span>;
}

function Did({ sweep }: { sweep: Sweep }) {
  const report = sweep.last_report;
  if (!report) return <span class="soft">–</span>;
  const did = Object.entries(report.did).map(([verb, number]) => `${count(number)} ${verb}`);
  return (
    <>
      {did.join(", ") || "nothing to do"}
      <div class="memory-line-meta">
        <span>looked at {count(report.looked_at)}</span>
        {report.failed_count > 0 && (
          <Badge tone="bad">{count(report.failed_count)} failed, tried again</Badge>
        )}
        {!report.complete && <Badge tone="warn">to be continued</Badge>}
      </div>
    </>
  );
}

function periodText(minutes: number): string {
  const [length, unit] = PERIODS.find(([size]) => minutes % size === 0) ?? [1, "minute" as const];
  const format = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat([...navigator.languages], format).format(minutes / length);
}
