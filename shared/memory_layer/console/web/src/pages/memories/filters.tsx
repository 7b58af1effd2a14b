// Filters of the list: each stands in the address under the API's own name, so that a link opens the same list.

import { choices } from "api-choices";
import type { operations } from "../../api/schema.d.ts";
import { changeQuery } from "../../app/router.ts";
import { Button } from "../../widgets/button.tsx";
import { SelectField, TextField } from "../../widgets/field.tsx";

type ListQuery = NonNullable<operations["list_memories"]["parameters"]["query"]>;

export const ALL_STATUSES = [...choices.MemoryStatus];

export const CHOICES = {
  type: choices.MemoryType,
  category: choices.Category,
  standing: choices.Standing,
  source: choices.MemorySource,
  dimension: choices.Dimension,
  task_type: choices.TaskType,
  tier: choices.Tier,
  complexity: ["low", "medium", "high"],
} as const;

const TEXTS = {
  tags: "Tags",
  entities: "Entities",
  created_by: "Created by",
  persona: "Persona",
  session_id: "Session",
} as const;

const NUMBERS = { min_confidence: "Confidence from", min_success_rate: "Success rate from" } as const;
const TIMES = {
  created_after: "Created after",
  created_before: "Created before",
  updated_after: "Changed after",
  updated_before: "Changed before",
  as_of: "As it was on",
} as const;
const ALWAYS_SHOWN = ["category", "type", "standing"] as const;

type Name = keyof typeof CHOICES | keyof typeof TEXTS | keyof typeof NUMBERS | keyof typeof TIMES;
export type ListFilters = Pick<ListQuery, "status"> & { [K in Name]?: string };

/** Filters that the address has. */
export function readFilters(query: URLSearchParams): ListQuery & Record<string, never> & ListFilters {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys({ ...CHOICES, ...TEXTS, ...NUMBERS, ...TIMES })) {
    const value = query.get(name);
    if (value) found[name] = name in TIMES ? momentOf(value) : value;
  }
  const pinned = query.get("pinned");
  if (pinned) found.pinned = pinned;
  const status = query.get("status");
  if (status === "all") found.status = ALL_STATUSES;
  else if (status) found.status = [status];
  return found as ListQuery & Record<string, never> & ListFilters;
}

/** A day or time of this browser's zone as the API takes it; what is none is left to the API to refuse. */
function momentOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

const change = (name: string, value: string) =>
  changeQuery({ [name]: value, cursor: null, from: null, end: null });

export function MemoryFilters({ query }: { query: URLSearchParams }) {
  const isSet = (name: string) => query.has(name);
  const rest = (Object.keys(CHOICES) as (keyof typeof CHOICES)[]).filter((name) => !isAlwaysShown(name));
  const isOpen = ["pinned", ...rest, ...Object.keys({ ...TEXTS, ...NUMBERS, ...TIMES })].some(isSet);
  return (
    <section class="card" aria-label="Filters">
      <div class="filters">
        <SelectField
          label="Status"
          value={query.get("status") ?? ""}
          options={[["", "active"], ["all", "all"], ...ALL_STATUSES.filter((one) => one !== "active")]}
          onChange={(value) => change("status", value)}
        />
        {ALWAYS_SHOWN.map((name) => (
          <Choice key={name} name={name} query={query} />
        ))}
      </div>
      <details open={isOpen}>
        <summary>More filters</summary>
        <div class="filters">
          {rest.map((name) => (
            <Choice key={name} name={name} query={query} />
          ))}
          <SelectField
            label="Pinned"
            value={query.get("pinned") ?? ""}
            options={[
              ["", "any"],
              ["true", "pinned"],
              ["false", "not pinned"],
            ]}
            onChange={(value) => change("pinned", value)}
          />
          {Object.entries({ ...TEXTS, ...NUMBERS }).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              value={query.get(name) ?? ""}
              onChange={(value) => change(name, value)}
            />
          ))}
          {Object.entries(TIMES).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              type="date"
              value={query.get(name) ?? ""}
              onChange={(value) => change(name, value)}
            />
          ))}
        </div>
      </details>
      {[...query.keys()].length > 0 && (
        <div class="toolbar">
          <Button
            onClick={() => changeQuery(Object.fromEntries([...query.keys()].map((name) => [name, null])))}
          >
            Clear the filters
          </Button>
        </div>
      )}
    </section>
  );
}

function isAlwaysShown(name: string): boolean {
  return (ALWAYS_SHOWN as readonly string[]).includes(name);
}

function Choice({ name, query }: { name: keyof typeof CHOICES; query: URLSearchParams }) {
  return (
    <SelectField
      label={labelOf(name)}
      value={query.get(name) ?? ""}
      options={[["", "any"], ...CHOICES[name]]}
      onChange={(value) => change(name, value)}
    />
  );
}

function labelOf(name: string): string {
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");
}
