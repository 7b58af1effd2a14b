// Versions of a memory and of those that it corrects or is corrected by, each as its difference from the one before.

import type { Memory, Schemas } from "../../api/client.ts";
import { mayChange } from "../../app/caller.ts";
import { linkTo } from "../../app/router.ts";
import { Badge, StatusBadge } from "../../widgets/badge.tsx";
import { Button } from "../../widgets/button.tsx";
import { absoluteText, Moment } from "../../widgets/moment.tsx";
import { EmptyState } from "../../widgets/notice.tsx";
import { WordDiff } from "../../widgets/word_diff.tsx";
import { restore, told } from "./changes.ts";

export interface Version {
  readonly version: number;
  readonly verb: string;
  readonly by: string;
  readonly at: string;
  readonly reason: string | null;
  readonly memory: Memory;
}

/** Fields that follow from others, or that nobody has changed by hand. */
const FOLLOWS = [
  ...[
    "version",
    "updated_at",
    "content_hash",
    "embedding_model",
    "embedding_text_hash",
    "standing",
    "active",
  ],
  ...["access_count", "last_accessed_at", "drifted_at", "age_days", "times"],
];
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const TEXTS = ["content", "summary", "context"];

export function fieldsChanged(before: Memory, after: Memory): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) =>
      !FOLLOWS.includes(name) &&
      JSON.stringify(before[name as keyof Memory]) !== JSON.stringify(after[name as keyof Memory]),
  );
}

interface VersionsProps {
  memory: Memory;
  versions: readonly Version[];
  reload: () => void;
}

export function VersionsView({ memory, versions, reload }: VersionsProps) {
  const ids = [...new Set(versions.map((one) => one.memory.id))];
  if (versions.length === 0) return <EmptyState title="No version can be read" />;
  return (
    <>
      {ids.length > 1 && <CorrectionChain ids={ids} versions={versions} current={memory.id} />}
      <ol class="versions">
        {[...versions].reverse().map((one) => (
          <VersionCard
            key={`${one.memory.id} ${one.version}`}
            version={one}
            before={versionBefore(one, versions)}
            memory={memory}
            reload={reload}
          />
        ))}
      </ol>
    </>
  );
}

function versionBefore(one: Version, versions: readonly Version[]): Memory | null {
  const earlier = versions.filter(
    (other) => other.memory.id === one.memory.id && other.version < one.version,
  );
  return earlier.at(-1)?.memory ?? null;
}

/** Memories that correct each other, the oldest first. */
function CorrectionChain(props: { ids: readonly string[]; versions: readonly Version[]; current: string }) {
  return (
    <section class="card" aria-label="Correction chain">
      <h2>Correction chain</h2>
      <ol class="chain">
        {props.ids.map((id) => {
          const last = props.versions.filter((one) => one.memory.id === id).at(-1)?.memory;
          return (
            <li key={id} aria-current={id === props.current ? "true" : undefined}>
              {last && <StatusBadge status={last.status} />}
              <a href={linkTo("memories", { view: "versions" }, [id])}>{last?.content ?? id}</a>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface CardProps {
  version: Version;
  before: Memory | null;
  memory: Memory;
  reload: () => void;
}

function VersionCard({ version, before, memory, reload }: CardProps) {
  const isOwn = version.memory.id === memory.id;
  const mayRestore = isOwn && mayChange(memory) && saysOtherwise(version.memory, memory);
  const putBack = () =>
    void told(`Version ${version.version} restored`, () => restore(memory, version.version), reload);
  return (
    <li class="card">
      <div class="card-head">
        <div class="memory-line-meta">
          <strong>Version {version.version}</strong>
          <Badge>{version.verb}</Badge>
          <span>{version.by}</span>
          <Moment at={version.at} />
          {!isOwn && (
            <a href={linkTo("memories", { view: "versions" }, [version.memory.id])}>
              <code>{version.memory.id}</code>
            </a>
          )}
        </div>
        {mayRestore && <Button onClick={putBack}>Restore</Button>}
      </div>
      {version.reason && <p class="soft">{version.reason}</p>}
      {before ? (
        <Differences before={before} after={version.memory} />
      ) : (
        <FirstWords memory={version.memory} />
      )}
    </li>
  );
}

function saysOtherwise(one: Memory, other: Memory): boolean {
  return one.version !== other.version && one.content !== other.content;
}

function FirstWords({ memory }: { memory: Memory }) {
  return <p class="words">{memory.content}</p>;
}

function Differences({ before, after }: { before: Memory; after: Memory }) {
  const names = fieldsChanged(before, after);
  if (names.length === 0) return <p class="soft">Nothing that is shown has changed.</p>;
  const texts = names.filter((name) => TEXTS.includes(name) && !isSummaryOfFew(name, before, after));
  const others = names.filter((name) => !TEXTS.includes(name));
  return (
    <>
      {texts.map((name) => (
        <div key={name}>
          {name !== "content" && <span class="soft">{name}</span>}
          <WordDiff before={textOf(before, name)} after={textOf(after, name)} />
        </div>
      ))}
      {others.length > 0 && (
        <ul class="field-changes">
          {others.map((name) => (
            <li key={name}>
              <span class="soft">{name.replaceAll("_", " ")}</span> {textOf(before, name) || "–"} →{" "}
              {textOf(after, name) || "–"}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Of few words the summary is those words: their difference is shown once. */
function isSummaryOfFew(name: string, ...versions: readonly Memory[]): boolean {
  return name === "summary" && versions.every((one) => one.summary === one.content);
}

function textOf(memory: Memory, name: string): string {
  const value = memory[name as keyof Schemas["Memory"]] as unknown;
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && MOMENT.test(value)) return absoluteText(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
