// Search: what is known about a question, by meaning, words or ties, now or at an earlier time; and why each was found.

import { useEffect, useState } from "preact/hooks";
import { type Answer, call, type Schemas } from "../api/client.ts";
import { useLoaded } from "../api/load.ts";
import { changeQuery, goTo, linkTo, place, type QueryValue } from "../app/router.ts";
import { useShortcuts } from "../app/shortcuts.ts";
import { Badge } from "../widgets/badge.tsx";
import { CheckField, SelectField, TextField } from "../widgets/field.tsx";
import { absoluteText, share } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { Tabs } from "../widgets/tabs.tsx";
import { toast, toastProblem } from "../widgets/toast.tsx";
import { CHOICES } from "./memories/filters.tsx";
import { type Result, SearchHit } from "./search/hit.tsx";

type Recalled = Answer<"/v1/projects/{project}/recall", "post">;
type Strategy = NonNullable<Schemas["RecallQuery"]["strategy"]>;

const STRATEGIES: readonly [Strategy, string][] = [
  ["auto", "All ways"],
  ["semantic", "Meaning"],
  ["lexical", "Keywords"],
  ["graph", "Graph"],
];
const LIMITS = ["10", "25", "50"];

export default function SearchPage() {
  const project = place.value.project ?? "";
  const query = place.value.query;
  const body = readSearch(query);
  const found = useLoaded(body && `${project} ${JSON.stringify(body)}`, async (signal) => {
    const path = { project };
    return (await call("post", "/v1/projects/{project}/recall", { path, body: body as never, signal })).json;
  });
  const { value, problem, isLoading } = found.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Search</h1>
        {body?.as_of && (
          <span class="page-note">
            as it was known at <time dateTime={body.as_of}>{absoluteText(body.as_of)}</time>
          </span>
        )}
      </header>
      <SearchForm query={query} />
      {!body && (
        <EmptyState title="Ask what is known">
          <p>A question in words, a name, an error message, a path. Each answer says why it was found.</p>
        </EmptyState>
      )}
      {body && problem && <ProblemNotice problem={problem} retry={found.reload} />}
      {body && !problem && value && (
        <Found key={value.recall_id} recalled={value} project={project} isBusy={isLoading} />
      )}
    </div>
  );
}

/** Question that the address has; null: none. */
function readSearch(query: URLSearchParams): (Schemas["RecallQuery"] & { as_of?: string }) | null {
  const text = query.get("q")?.trim();
  if (!text) return null;
  const at = query.get("as_of");
  const [category, type] = [query.get("category"), query.get("type")];
  return {
    query: text,
    strategy: (query.get("by") ?? "auto") as Strategy,
    limit: Number(query.get("limit") ?? LIMITS[0]),
    explain: true,
    filters: { ...(category && { category: [category] }), ...(type && { type: [type] }) },
    ...(query.has("stale") && { include_stale: true }),
    ...(at && { as_of: new Date(at).toISOString() }),
  } as Schemas["RecallQuery"] & { as_of?: string };
}

function SearchForm({ query }: { query: URLSearchParams }) {
  const change = (name: string) => (value: QueryValue) => changeQuery({ [name]: value });
  const ask = (question: string) => {
    changeQuery({ q: question });
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // so that keys judge
  };
  const kept = Object.fromEntries(query.entries());
  return (
    <section class="card" aria-label="Question">
      <TextField label="Question" type="search" value={query.get("q") ?? ""} onChange={ask} />
      <Tabs
        label="Ways to search"
        current={query.get("by") ?? "auto"}
        tabs={STRATEGIES.map(([name, title]) => ({
          name,
          title,
          link: linkTo("search", { ...kept, by: name === "auto" ? null : name }),
        }))}
      />
      <div class="filters">
        <SelectField
          label="Category"
          value={query.get("category") ?? ""}
          options={[["", "any"], ...CHOICES.category]}
          onChange={change("category")}
        />
        <SelectField
          label="Type"
          value={query.get("type") ?? ""}
          options={[["", "any"], ...CHOICES.type]}
          onChange={change("type")}
        />
        <TextField
          label="As known at"
          type="datetime-local"
          value={query.get("as_of") ?? ""}
          onChange={change("as_of")}
        />
        <SelectField
          label="At most"
          value={query.get("limit") ?? "10"}
          options={LIMITS}
          onChange={change("limit")}
        />
        <CheckField
          label="Stale ones too"
          value={query.has("stale")}
          onChange={(value) => changeQuery({ stale: value ? "1" : null })}
        />
      </div>
    </section>
  );
}

function Found({ recalled, project, isBusy }: { recalled: Recalled; project: string; isBusy: boolean }) {
  const [current, setCurrent] = useState(0);
  const [results, setResults] = useState<Readonly<Record<string, Result>>>({});
  const hits = recalled.memories;
  const report = async (ref: number, result: Result) => {
    try {
      await reportByReference(project, recalled.recall_id, ref, result);
      setResults((before) => ({ ...before, [ref]: result }));
    } catch (error) {
      toastProblem(error);
    }
  };
  const move = (to: number) => setCurrent(Math.max(0, Math.min(to, hits.length - 1)));
  const judge = (result: Result) => () => void (hits.length > 0 && report(current + 1, result));
  useShortcuts([
    { keys: "j", does: "Next answer", run: () => move(current + 1) },
    { keys: "k", does: "Previous answer", run: () => move(current - 1) },
    { keys: "o", does: "Open the memory", run: () => openMemory(hits[current]) },
    { keys: "w", does: "It worked", run: judge("worked") },
    { keys: "p", does: "It worked in part", run: judge("partial") },
    { keys: "f", does: "It failed", run: judge("failed") },
  ]);
  useEffect(() => {
    document.querySelector(".hit[data-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <section class="page" aria-label="Answers" aria-busy={isBusy}>
      <Evidence recalled={recalled} />
      {hits.length === 0 && <NothingFound recalled={recalled} />}
      <ol class="hits">
        {hits.map((hit, at) => (
          <SearchHit
            key={hit.id}
            hit={hit}
            number={at + 1}
            isCurrent={at === current}
            reported={results[at + 1] ?? null}
            report={(result) => void report(at + 1, result)}
          />
        ))}
      </ol>
    </section>
  );
}

function openMemory(hit: Schemas["RecalledMemory"] | undefined): void {
  if (hit) goTo(linkTo("memories", {}, [hit.id]));
}

async function reportByReference(project: string, recall_id: string, ref: number, result: Result) {
  const { json } = await call("post", "/v1/projects/{project}/outcome", {
    path: { project },
    body: { recall_id, refs: [ref], result },
  });
  const [answer] = json.results;
  if (answer?.problem) toast(`${answer.problem.title}: ${answer.problem.detail}`);
  else toast(`Reported: ${result}. Its outcome score is now ${answer?.outcome_score ?? "the same"}.`);
}

/** How sure the answer is, what no memory covers, and how it was looked for. */
function Evidence({ recalled }: { recalled: Recalled }) {
  return (
    <div class="evidence">
      <span>
        Evidence of an answer <strong>{share(recalled.evidence)}</strong>
      </span>
      <span class="soft">ranked by {recalled.ranking}</span>
      {recalled.degraded && <Badge tone="warn">degraded</Badge>}
      {recalled.evidence_gaps.length > 0 && (
        <span>
          Not covered:{" "}
          {recalled.evidence_gaps.map((gap) => (
            <Badge key={gap} tone="warn">
              {gap}
            </Badge>
          ))}
        </span>
      )}
      {recalled.note && <p class="soft">{recalled.note}</p>}
    </div>
  );
}

function NothingFound({ recalled }: { recalled: Recalled }) {
  if (!recalled.abstained) {
    return (
      <EmptyState title="No memory matches">
        <p>Ask in other words, search by meaning, or take a filter away.</p>
      </EmptyState>
    );
  }
  const everything = Object.fromEntries(place.value.query.entries());
  return (
    <EmptyState title="Nothing that answers this is known">
      <p>An agent would be told so, rather than be shown what is merely near.</p>
      <p>
        <a href={linkTo("search", { ...everything, by: "semantic" })}>Show what is nearest by meaning</a>
      </p>
    </EmptyState>
  );
}
