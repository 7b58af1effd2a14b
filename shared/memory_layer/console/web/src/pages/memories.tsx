// Memories: the list, filtered by every field, page by page in both directions; or the one that the address names.

import { useEffect, useState } from "preact/hooks";
import { useChanges } from "../api/events.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, goTo, linkTo, place } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/field.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { Pager, Table, toggled } from "../widgets/table.tsx";
import { BulkActions } from "./memories/bulk.tsx";
import {
  COLUMNS,
  keyOfPage,
  NEWEST_FIRST,
  ORDERS,
  readPage,
  readTotal,
  seekPage,
} from "./memories/columns.tsx";
import { MemoryDetail } from "./memories/detail.tsx";
import { type ListFilters, MemoryFilters, readFilters } from "./memories/filters.tsx";
import { type ListPlace, pagingOf, readListPlace, rowsInOrder } from "./memories/paging.ts";

const NONE: ReadonlySet<string> = new Set();

export default function MemoriesPage() {
  const [id] = place.value.rest;
  return id ? <MemoryDetail key={id} id={id} /> : <MemoryList />;
}

function MemoryList() {
  const query = place.value.query;
  const filters = readFilters(query);
  const at = readListPlace(query);
  const { page, total, asked, seek, reload } = useList(filters, at);
  const [selected, setSelected] = useState(NONE);
  const [current, setCurrent] = useState(0);
  const { value, problem, isLoading } = page.state.value;
  const counted = total.state.value.value ?? null;
  const rows = problem ? [] : rowsInOrder(at, value);
  const paging = pagingOf(at, value, counted, asked, seek);
  const chosen = rows.filter((row) => selected.has(row.id));
  const currentId = rows[current]?.id ?? null;
  useEffect(() => {
    setSelected(NONE);
    setCurrent(0);
  }, [at.cursor, at.sort, at.isFromEnd]);
  const afterChange = () => {
    setSelected(NONE);
    reload();
  };

  useShortcuts([
    { keys: "j", does: "Next row", run: () => setCurrent(Math.min(current + 1, rows.length - 1)) },
    { keys: "k", does: "Previous row", run: () => setCurrent(Math.max(current - 1, 0)) },
    { keys: "o", does: "Open the memory", run: () => currentId && goTo(linkTo("memories", {}, [currentId])) },
    { keys: "x", does: "Select the row", run: () => currentId && setSelected(toggled(selected, currentId)) },
    { keys: "n", does: "Next page", run: () => paging.onNext?.() },
    { keys: "p", does: "Previous page", run: () => paging.onPrevious?.() },
  ]);

  return (
    <div class="page">
      <header class="page-head">
        <h1>Memories</h1>
      </header>
      <MemoryFilters query={query} />
      {!at.isPast && <OrderFields sort={at.sort} />}
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {value?.note && <p class="soft">{value.note}</p>}
      {chosen.length > 0 && (
        <BulkActions memories={chosen} done={afterChange} clear={() => setSelected(NONE)} />
      )}
      {rows.length > 0 && (
        <Table
          caption={`Memories by ${at.sort.replace("-", "")}`}
          rows={rows}
          columns={COLUMNS}
          keyOf={(row) => row.id}
          isBusy={isLoading}
          {...(at.isPast ? {} : { sort: at.sort, onSort: sortBy })}
          selected={selected}
          onSelect={setSelected}
          current={currentId}
        />
      )}
      {value && !problem && rows.length === 0 && <NoneFound query={query} />}
      {value && !problem && <Pager {...paging} shown={rows.length} total={counted} />}
    </div>
  );
}

function useList(filters: ListFilters, at: ListPlace) {
  const project = place.value.project ?? "";
  const question = { project, filters, sort: at.sort, isFromEnd: at.isFromEnd, cursor: at.cursor };
  const asked = keyOfPage(question);
  const page = useLoaded(asked, (signal) => readPage(question, signal));
  const { isPast } = at;
  const total = useLoaded(isPast ? null : `${project} ${JSON.stringify(filters)}`, (signal) =>
    readTotal(project, filters, signal),
  );
  const reload = () => {
    page.reload();
    if (!isPast) total.reload();
  };
  const refresh = () => {
    page.refresh();
    if (!isPast) total.refresh();
  };
  useChanges((event) => event.type.startsWith("memory."), refresh);
  return { page, total, asked, seek: seekPage(question), reload };
}

function sortBy(sort: string): void {
  changeQuery({ sort: sort === NEWEST_FIRST ? null : sort, cursor: null, from: null, end: null });
}

/** Order by any field, also by those that no column shows. */
function OrderFields({ sort }: { sort: string }) {
  const field = sort.replace("-", "");
  const direction = sort.startsWith("-") ? "-" : "";
  return (
    <div class="toolbar order-fields">
      <SelectField
        label="Order by"
        value={field}
        options={ORDERS}
        onChange={(name) => sortBy(`${direction}${name}`)}
      />
      <SelectField
        label="Direction"
        value={direction}
        options={[
          ["-", "greatest or newest first"],
          ["", "least or oldest first"],
        ]}
        onChange={(sign) => sortBy(`${sign}${field}`)}
      />
    </div>
  );
}

function NoneFound({ query }: { query: URLSearchParams }) {
  const names = [...query.keys()];
  if (names.length === 0) {
    return (
      <EmptyState title="Nothing is active here">
        <p>
          Store a memory with <code>mem add</code>, or let an agent do it over MCP.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No memory matches">
      <p>
        <Button onClick={() => changeQuery(Object.fromEntries(names.map((name) => [name, null])))}>
          Clear the filters
        </Button>
      </p>
    </EmptyState>
  );
}
