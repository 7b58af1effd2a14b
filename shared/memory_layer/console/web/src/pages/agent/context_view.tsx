// Context: what an agent gets for an intent within a budget, what was left out and why, and what it warns of.

import { type Answer, call, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { changeQuery, linkTo, place } from "../../app/router.ts";
import { Badge, StandingMark } from "../../widgets/badge.tsx";
import { SelectField } from "../../widgets/field.tsx";
import { count, share } from "../../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../../widgets/notice.tsx";
import { PersonaField, Slider, TextOf } from "./asked.tsx";
import { type PagePart, RenderedPage, Shares } from "./shares.tsx";

type Context = Answer<"/v1/projects/{project}/context", "post">;
type Omission = Context["omitted"][number];

const DEFAULT_TOKENS = 4_000;
const MOST_TOKENS = 16_000;
const TIME_MS = 5_000;
const OMITTED_SHOWN = 40;
const FRAME_SERIES = 8;

const LAYERS: Record<Schemas["SourceLayer"], number> = { global: 7, project: 1, experience: 2, workshop: 5 };

const REASONS: Record<Omission["reason"], string> = {
  over_budget: "no room left in the budget",
  below_quality: "fits the intent less than was asked for",
  near_duplicate: "says what another one says",
  conflict_lost: "another one is believed instead",
  other_layer: "another source has it",
  repeated: "was there already",
  evicted: "the tier rules leave it out",
};

export function ContextView() {
  const project = place.value.project ?? "";
  const query = place.value.query;
  const tokens = Number(query.get("tokens") ?? DEFAULT_TOKENS);
  const body = bodyOf(query, tokens);
  const persona = query.get("persona");
  const context = useLoaded(JSON.stringify([project, body, persona]), async (signal) => {
    const asked = { path: { project }, body: body as never, asUser: persona, signal };
    return (await call("post", "/v1/projects/{project}/context", asked)).json;
  });
  const { value, problem, isLoading } = context.state.value;
  return (
    <>
      <AskedFor query={query} tokens={tokens} />
      {problem && <ProblemNotice problem={problem} retry={context.reload} />}
      {value && !problem && (
        <div class="page" aria-busy={isLoading}>
          <Measures context={value} budget={tokens} />
          <Warnings context={value} />
          {value.rendered ? <Assembled context={value} budget={tokens} /> : <Nothing context={value} />}
          <LeftOut omitted={value.omitted} />
          <Contradictions context={value} />
        </div>
      )}
    </>
  );
}

function bodyOf(query: URLSearchParams, tokens: number): Record<string, unknown> {
  return {
    intent: query.get("q") || null,
    session_id: query.get("session") || null,
    format: query.get("format") ?? "markdown",
    lod_preference: query.get("lod") ?? "adaptive",
    standing: query.get("standing") || null,
    budgets: { tokens_max: tokens, time_ms: TIME_MS },
  };
}

function AskedFor({ query, tokens }: { query: URLSearchParams; tokens: number }) {
  const choose = (
    name: string,
    otherwise: string,
    label: string,
    options: readonly (readonly [string, string])[],
  ) => (
    <SelectField
      label={label}
      value={query.get(name) ?? otherwise}
      options={options}
      onChange={(value) => changeQuery({ [name]: value === otherwise ? null : value })}
    />
  );
  return (
    <section class="card" aria-label="Asked for">
      <TextOf
        name="q"
        label="Intent"
        query={query}
        hint="what the agent is about to do; empty: a session begins"
      />
      <Slider label="Budget in tokens" name="tokens" value={tokens} max={MOST_TOKENS} step={50} />
      <div class="asked">
        <TextOf name="session" label="Session" query={query} hint="whose turns are read too" />
        <PersonaField query={query} />
        {choose("lod", "adaptive", "Detail", [
          ["adaptive", "what fits best"],
          ["macro", "a line each"],
          ["micro", "whole"],
          ["atomic", "with their facts"],
        ])}
        {choose("standing", "", "Who speaks", [
          ["", "all"],
          ["trusted", "people, and what they approved"],
          ["unreviewed", "what nobody has reviewed"],
        ])}
        {choose("format", "markdown", "Format", [
          ["markdown", "Markdown"],
          ["xml", "XML"],
          ["json", "JSON"],
        ])}
      </div>
    </section>
  );
}

function Measures({ context, budget }: { context: Context; budget: number }) {
  const { metadata } = context;
  return (
    <div class="evidence">
      <span>
        <strong>{count(metadata.total_tokens)}</strong> of {count(budget)} tokens
      </span>
      <span>
        <strong>{count(context.fragments.length)}</strong> memories, {count(context.omitted.length)} left out
      </span>
      <span>mean relevance {share(metadata.quality_achieved)}</span>
      <span>sources with an answer {share(metadata.source_coverage)}</span>
      <span class="soft">counted by {metadata.tokenizer}</span>
      {metadata.cached && <Badge>from an equal request</Badge>}
    </div>
  );
}

function Warnings({ context }: { context: Context }) {
  return (
    <>
      {context.warnings.map(({ code, detail }) => (
        <div class="notice" data-tone="warn" key={`${code} ${detail}`}>
          <p class="notice-text">
            <strong>{code.toLowerCase().replaceAll("_", " ")}</strong>: {detail}
          </p>
        </div>
      ))}
    </>
  );
}

function Contradictions({ context }: { context: Context }) {
  if (context.conflicts.length === 0) return null;
  return (
    <section class="card" aria-label="Contradictions">
      <h2>Contradictions among what was found</h2>
      <ul>
        {context.conflicts.map((one) => (
          <li class="memory-line memory-line-top" key={one.ids.join(" ")}>
            <Badge tone="warn">{one.strategy.replaceAll("_", " ")}</Badge>
            <div class="memory-line-text">
              <p>{one.reasoning}</p>
              <div class="memory-line-meta">
                {one.ids.map((id) => (
                  <MemoryLink key={id} id={id} />
                ))}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Assembled({ context, budget }: { context: Context; budget: number }) {
  return (
    <div class="assembled">
      <RenderedPage text={context.rendered} />
      <section class="card" aria-label="Share of each memory">
        <h2>Share of each memory</h2>
        <Layers />
        <Shares parts={partsOf(context)} budget={budget} unit="tokens" />
      </section>
    </div>
  );
}

function Layers() {
  return (
    <div class="chart-key">
      {Object.entries(LAYERS).map(([layer, series]) => (
        <span class="bars-name" key={layer}>
          <span class="dot" data-series={series} /> {layer}
        </span>
      ))}
    </div>
  );
}

function partsOf(context: Context): PagePart[] {
  const parts: PagePart[] = context.fragments.map((one) => ({
    key: one.id,
    tokens: one.token_cost,
    series: LAYERS[one.source_layer],
    text: one.content,
    id: one.id,
    about: (
      <>
        <strong>{one.ref}</strong>
        <StandingMark standing={one.standing} />
        <span>priority {share(one.priority_score)}</span>
        <span>relevance {share(one.metadata.relevance)}</span>
        <span>{one.lod}</span>
      </>
    ),
  }));
  const said = parts.reduce((sum, one) => sum + one.tokens, 0);
  const rest = context.metadata.total_tokens - said;
  if (rest <= 0) return parts;
  return [
    ...parts,
    { key: "", tokens: rest, series: FRAME_SERIES, text: "headings and marks between", id: null },
  ];
}

function Nothing({ context }: { context: Context }) {
  const isLeftOut = context.omitted.length > 0;
  return (
    <EmptyState title={isLeftOut ? "All that bears on it was left out" : "Nothing that bears on it is known"}>
      <p>
        {isLeftOut
          ? "Give it a larger budget."
          : "Ask for something else, or store what is known with mem add."}
      </p>
    </EmptyState>
  );
}

function LeftOut({ omitted }: { omitted: readonly Omission[] }) {
  if (omitted.length === 0) return null;
  return (
    <section class="card" aria-label="Left out">
      <h2>Left out, and why</h2>
      <ul>
        {omitted.slice(0, OMITTED_SHOWN).map((one) => (
          <li class="memory-line left-out" key={one.id}>
            <div class="memory-line-text">
              {REASONS[one.reason]}
              {one.detail && <span class="soft">: {one.detail}</span>}
            </div>
            <MemoryLink id={one.id} />
          </li>
        ))}
      </ul>
      {omitted.length > OMITTED_SHOWN && (
        <p class="soft">{count(omitted.length - OMITTED_SHOWN)} more were left out</p>
      )}
    </section>
  );
}

function MemoryLink({ id }: { id: string }) {
  return (
    <a href={linkTo("memories", {}, [id])}>
      <code>{id}</code>
    </a>
  );
}
