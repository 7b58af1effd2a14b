// The record of a memory: where it comes from, what it is tied to, and how it has done.

import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/client.ts";
import { pageOf } from "../../app/navigation.ts";
import { linkTo } from "../../app/router.ts";
import { Badge } from "../../widgets/badge.tsx";
import { Bar } from "../../widgets/bar.tsx";
import { absoluteText, count, Moment, share } from "../../widgets/moment.tsx";

export function Facts({ memory }: { memory: Memory }) {
  return (
    <section class="card" aria-label="Provenance">
      <h2>Provenance</h2>
      <dl class="facts">
        <Fact name="Standing">
          {memory.standing === "trusted"
            ? "trusted: a person said it or a reviewer approved it"
            : "unreviewed"}
        </Fact>
        <Fact name="Source">
          {memory.source}, {memory.created_by}
        </Fact>
        <Fact name="Created">
          {absoluteText(memory.created_at)} (<Moment at={memory.created_at} />)
        </Fact>
        {memory.approved_by && (
          <Fact name="Approved">
            by {memory.approved_by} <Moment at={memory.approved_at} />
          </Fact>
        )}
        {memory.persona && <Fact name="Persona">{memory.persona}</Fact>}
        {memory.session_id && (
          <Fact name="Session">
            <a href={linkTo("memories", { session_id: memory.session_id })}>{memory.session_id}</a>
          </Fact>
        )}
        {memory.source_runs.length > 0 && <Fact name="Runs">{memory.source_runs.map(RunLink)}</Fact>}
        {memory.supersedes && <MemoryFact name="Corrects" id={memory.supersedes} />}
        {memory.superseded_by && <MemoryFact name="Corrected by" id={memory.superseded_by} />}
        {memory.context && <Fact name="Context">{memory.context}</Fact>}
        {memory.summary && <Fact name="Summary">{memory.summary}</Fact>}
        <Labels memory={memory} />
        <Validity memory={memory} />
      </dl>
    </section>
  );
}

function RunLink(run: string) {
  if (!pageOf("runs")) return <code key={run}>{run} </code>;
  return (
    <a key={run} href={linkTo("runs", {}, [run])}>
      <code>{run}</code>{" "}
    </a>
  );
}

function MemoryFact({ name, id }: { name: string; id: string }) {
  return (
    <Fact name={name}>
      <a href={linkTo("memories", {}, [id])}>
        <code>{id}</code>
      </a>
    </Fact>
  );
}

function Labels({ memory }: { memory: Memory }) {
  return (
    <>
      {memory.tags.length > 0 && (
        <Fact name="Tags">
          <span class="chips">
            {memory.tags.map((tag) => (
              <a class="chip-link" key={tag} href={linkTo("memories", { tags: tag })}>
                {tag}
              </a>
            ))}
          </span>
        </Fact>
      )}
      {memory.entities.length > 0 && (
        <Fact name="Entities">
          <span class="chips">
            {memory.entities.map((urn) => (
              <a class="chip-link" key={urn} href={linkTo("memories", { entities: urn })}>
                <code>{urn}</code>
              </a>
            ))}
          </span>
        </Fact>
      )}
      {memory.relations.map((one) => (
        <Fact key={`${one.type} ${one.target}`} name={one.type.replaceAll("_", " ")}>
          <code>{one.target}</code>
        </Fact>
      ))}
    </>
  );
}

function Validity({ memory }: { memory: Memory }) {
  return (
    <>
      {memory.expires_at && (
        <Fact name="Expires">
          <Moment at={memory.expires_at} />
        </Fact>
      )}
      {(memory.valid_from || memory.valid_to) && (
        <Fact name="Holds">
          from <Moment at={memory.valid_from} /> to <Moment at={memory.valid_to} />
        </Fact>
      )}
      {memory.times.map((time) => (
        <Fact key={time.words} name={`“${time.words}”`}>
          {time.from} – {time.to}
        </Fact>
      ))}
      <Fact name="Tier">
        <Badge>{memory.tier}</Badge>
      </Fact>
    </>
  );
}

export function Measures({ memory }: { memory: Memory }) {
  return (
    <section class="card" aria-label="How it did">
      <h2>How it did</h2>
      <div class="bars">
        <Measure name="confidence" part={memory.confidence} series={1} />
        <Measure name="success rate" part={memory.success_rate} series={2} />
        <Measure name="relevance by itself" part={memory.relevance_score} series={4} />
      </div>
      <dl class="facts">
        <Fact name="Outcome score">{memory.outcome_score}</Fact>
        <Fact name="Verdicts">
          {count(memory.worked)} worked, {count(memory.partial)} in part, {count(memory.failed)} failed
        </Fact>
        <Fact name="Shown">
          {count(memory.access_count)} ×, last <Moment at={memory.last_accessed_at} />
        </Fact>
        <Fact name="Used">
          {count(memory.use_count)} ×, last <Moment at={memory.last_used_at} />
        </Fact>
        <Fact name="Digest">
          <code>{memory.content_hash.slice(0, 16)}…</code>
        </Fact>
      </dl>
    </section>
  );
}

function Measure(props: { name: string; part: number | null; series: number }) {
  return (
    <div class="bars-row">
      <span class="bars-name">{props.name}</span>
      <Bar part={props.part ?? 0} series={props.series} />
      <span class="bars-count">{share(props.part)}</span>
    </div>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
