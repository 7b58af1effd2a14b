// Prompt: the section for a task, of memories or of what earlier runs taught, and the share of each entry.

import { type Answer, call, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { changeQuery, place } from "../../app/router.ts";
import { SelectField } from "../../widgets/field.tsx";
import { count } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { CHOICES } from "../memories/filters.tsx";
import { PersonaField, TextOf } from "./asked.tsx";
import { type PagePart, RenderedPage, Shares } from "./shares.tsx";

type Prompt = Answer<"/v1/projects/{project}/prompt", "post">;
export type PromptFormat = "memories" | "knowledge";

const SERIES = { memories: 1, strategies: 2, antipatterns: 3, estimates: 7, conventions: 4 } as const;
const FRAME_SERIES = 8;

export function PromptView({ format }: { format: PromptFormat }) {
  const project = place.value.project ?? "";
  const query = place.value.query;
  const task = query.get("q") ?? "";
  const persona = query.get("persona");
  const body = bodyOf(query, format);
  const prompt = useLoaded(task ? JSON.stringify([project, body, persona]) : null, async (signal) => {
    const asked = { path: { project }, body: body as never, asUser: persona, signal };
    return (await call("post", "/v1/projects/{project}/prompt", asked)).json;
  });
  const { value, problem } = prompt.state.value;
  return (
    <>
      <AskedFor query={query} format={format} />
      {problem && <ProblemNotice problem={problem} retry={prompt.reload} />}
      {!task && (
        <EmptyState title="Say a task">
          <p>The section for it will stand here as an orchestrator would put it into a prompt.</p>
        </EmptyState>
      )}
      {task && value && !problem && <Section prompt={value} />}
    </>
  );
}

function bodyOf(query: URLSearchParams, format: PromptFormat): Record<string, unknown> {
  const scope = (query.get("scope") ?? "").split(",").map((one) => one.trim());
  const limit = Number(query.get("limit") ?? 0);
  return {
    task: query.get("q") ?? "",
    format,
    limit: limit > 0 ? limit : null,
    ...(format === "memories" && { write_scope: scope.filter(Boolean) }),
    ...(format === "knowledge" && { task_type: query.get("task_type") || null }),
  };
}

function AskedFor({ query, format }: { query: URLSearchParams; format: PromptFormat }) {
  return (
    <section class="card" aria-label="Asked for">
      <TextOf name="q" label="Task" query={query} hint="what the agent is about to do" />
      <div class="asked">
        {format === "memories" ? (
          <TextOf name="scope" label="May change" query={query} hint="paths, with commas between" />
        ) : (
          <SelectField
            label="Kind of task"
            value={query.get("task_type") ?? ""}
            options={[["", "told from the task"], ...CHOICES.task_type]}
            onChange={(value) => changeQuery({ task_type: value })}
          />
        )}
        <TextOf name="limit" label="Memories at most" query={query} hint="empty: as the settings say" />
        <PersonaField query={query} />
      </div>
    </section>
  );
}

function Section({ prompt }: { prompt: Prompt }) {
  if (!prompt.markdown) {
    return (
      <EmptyState title="Nothing that bears on it is known">
        <p>An agent would get no section, rather than one that is merely near.</p>
      </EmptyState>
    );
  }
  const parts = partsOf(prompt);
  const tokens = parts.reduce((sum, one) => sum + one.tokens, 0);
  return (
    <>
      <div class="evidence">
        <span>
          <strong>{count(prompt.memory_ids.length)}</strong> memories
        </span>
        <span>
          about <strong>{count(tokens)}</strong> tokens, four characters each
        </span>
        {prompt.note && <span class="soft">{prompt.note}</span>}
      </div>
      <div class="assembled">
        <RenderedPage text={prompt.markdown} />
        <section class="card" aria-label="Share of each memory">
          <h2>Share of each memory</h2>
          <Shares parts={parts} budget={0} unit="tokens" />
        </section>
      </div>
    </>
  );
}

/** Entries of the section by their memories; all else is headings. */
function partsOf(prompt: Prompt): PagePart[] {
  const entries = prompt.markdown
    .split(/\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((one) => /^\s*(?:[-*]|\d+\.) /.test(one));
  const isMatched = entries.length === prompt.memory_ids.length;
  const parts: PagePart[] = isMatched
    ? prompt.memory_ids.map((id, place) => ({
        key: id,
        tokens: tokensOf(entries[place] ?? ""),
        series: seriesOf(prompt, id),
        text: (entries[place] ?? "").trim().replace(/^[-*] /, ""),
        id,
      }))
    : prompt.memory_ids.map((id) => partOfGroup(prompt, id));
  const rest = tokensOf(prompt.markdown) - parts.reduce((sum, one) => sum + one.tokens, 0);
  if (rest <= 0) return parts;
  return [
    ...parts,
    { key: "", tokens: rest, series: FRAME_SERIES, text: "headings and marks between", id: null },
  ];
}

function partOfGroup(prompt: Prompt, id: string): PagePart {
  const memory = Object.values(groupsOf(prompt))
    .flat()
    .find((one) => one.id === id);
  const text = memory?.content ?? id;
  return { key: id, tokens: tokensOf(text), series: seriesOf(prompt, id), text, id };
}

function groupsOf(prompt: Prompt): Record<string, readonly Schemas["Memory"][]> {
  return (prompt.groups ?? {}) as unknown as Record<string, readonly Schemas["Memory"][]>;
}

function seriesOf(prompt: Prompt, id: string): number {
  const [name] =
    Object.entries(groupsOf(prompt)).find(([, memories]) => memories.some((one) => one.id === id)) ?? [];
  return SERIES[(name ?? "memories") as keyof typeof SERIES] ?? SERIES.memories;
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
