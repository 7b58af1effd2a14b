// Table: columns that say how a row is shown, sorting by their heads, a selection, and a pager in both directions.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { count } from "./moment.tsx";
import { TableFrame } from "./table_frame.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  readonly align?: "end";
  readonly class?: string;
  /** Its head sorts. */
  readonly sorts?: boolean;
}

/** A column's name; with a minus before it, from the largest on. */
export type Sort = string;

interface TableProps<Row> {
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  isBusy?: boolean;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  current?: string | null;
}

export function Table<Row>(props: TableProps<Row>) {
  return (
    <TableFrame label={props.caption}>
      <table class="table" aria-busy={props.isBusy ?? false}>
        <caption class="visually-hidden">{props.caption}</caption>
        <thead>
          <tr>
            {props.onSelect && <SelectAll {...props} />}
            {props.columns.map((column) => (
              <Head key={column.name} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <Line key={props.keyOf(row)} row={row} {...props} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Head<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}) {
  if (!column.sorts || !onSort) {
    return (
      <th scope="col" data-align={column.align}>
        {column.title}
      </th>
    );
  }
  const isDown = sort === `-${column.name}`;
  const direction = isDown ? "descending" : sort === column.name ? "ascending" : "none";
  return (
    <th scope="col" data-align={column.align} aria-sort={direction}>
      <button type="button" onClick={() => onSort(isDown ? column.name : `-${column.name}`)}>
        {column.title}
      </button>
    </th>
  );
}

function Line<Row>({ row, ...props }: TableProps<Row> & { row: Row }) {
  const key = props.keyOf(row);
  const isCurrent = props.current === key;
  const held = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isCurrent) held.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return (
    <tr ref={held} aria-selected={props.selected?.has(key)} data-current={isCurrent}>
      {props.onSelect && (
        <td class="cell-short">
          <input
            type="checkbox"
            aria-label={`Select ${key}`}
            checked={props.selected?.has(key) ?? false}
            onChange={() => props.onSelect?.(toggled(props.selected, key))}
          />
        </td>
      )}
      {props.columns.map((column) => (
        <td key={column.name} class={column.class} data-align={column.align}>
          {column.show(row)}
        </td>
      ))}
    </tr>
  );
}

function SelectAll<Row>(props: TableProps<Row>) {
  const keys = props.rows.map(props.keyOf);
  const isAll = keys.length > 0 && keys.every((key) => props.selected?.has(key));
  return (
    <th scope="col">
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={isAll}
        onChange={() => props.onSelect?.(new Set(isAll ? [] : keys))}
      />
    </th>
  );
}

export function toggled(selected: ReadonlySet<string> | undefined, key: string): ReadonlySet<string> {
  const found = new Set(selected);
  if (!found.delete(key)) found.add(key);
  return found;
}

interface PagerProps {
  /** Number of the first row of this page, from 1. */
  first: number;
  shown: number;
  /** null: nobody counted. */
  total: number | null;
  onFirst: (() => void) | null;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
  onLast?: (() => void) | null;
}

export function Pager({ first, shown, total, onFirst, onPrevious, onNext, onLast }: PagerProps) {
  const range = shown ? `${count(first)}–${count(first + shown - 1)}` : "0";
  return (
    <nav class="pager" aria-label="Pages">
      <span aria-live="polite">{total === null ? range : `${range} of ${count(total)}`}</span>
      <PagerButton icon="first" label="First page" go={onFirst} />
      <PagerButton icon="previous" label="Previous page" go={onPrevious} />
      <PagerButton icon="next" label="Next page" go={onNext} />
      {onLast !== undefined && <PagerButton icon="last" label="Last page" go={onLast} />}
    </nav>
  );
}

function PagerButton(props: {
  icon: "first" | "previous" | "next" | "last";
  label: string;
  go: (() => void) | null;
}) {
  return (
    <Button disabled={!props.go} onClick={() => props.go?.()}>
      <Icon name={props.icon} />
      <span class={props.icon === "next" || props.icon === "previous" ? "" : "visually-hidden"}>
        {props.label}
      </span>
    </Button>
  );
}
