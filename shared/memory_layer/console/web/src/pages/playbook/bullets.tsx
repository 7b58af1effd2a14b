// Bullets of a playbook as a table.

import type { Schemas } from "../../api/client.ts";
import { linkTo } from "../../app/router.ts";
import { StandingMark } from "../../widgets/badge.tsx";
import { count } from "../../widgets/moment.tsx";
import { type Column, Table } from "../../widgets/table.tsx";

export type Bullet = Schemas["BulletAnswer"];

const COLUMNS: readonly Column<Bullet>[] = [
  { name: "content", title: "Learning", show: (row) => <Words bullet={row} />, class: "cell-wide" },
  { name: "type", title: "Type", show: (row) => row.type, class: "cell-short" },
  { name: "helpful", title: "Helped", show: (row) => count(row.helpful), align: "end" },
  { name: "harmful", title: "Harmed", show: (row) => count(row.harmful), align: "end" },
];

export function BulletTable({ caption, bullets }: { caption: string; bullets: readonly Bullet[] }) {
  return <Table caption={caption} rows={bullets} columns={COLUMNS} keyOf={(row) => row.id} />;
}

function Words({ bullet }: { bullet: Bullet }) {
  return (
    <>
      <a class="timeline-words" href={linkTo("memories", {}, [bullet.id])}>
        {bullet.content}
      </a>
      <div class="memory-line-meta">
        <StandingMark standing={bullet.standing} />
        <code>{bullet.name}</code>
      </div>
    </>
  );
}
