// Settings: each with what it brings about, what differs from the defaults, and a save that resets no other.

import "./settings.css";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useLoaded } from "../api/load.ts";
import { type ApiProblem, asProblem } from "../api/problem.ts";
import { place } from "../app/router.ts";
import { UnsavedQuestion } from "../app/unsaved.tsx";
import { Button } from "../widgets/button.tsx";
import { count } from "../widgets/moment.tsx";
import { ProblemNotice } from "../widgets/notice.tsx";
import { toast } from "../widgets/toast.tsx";
import { CHOICES } from "./settings/explained.ts";
import * as fields from "./settings/fields.tsx";
import * as leaves from "./settings/leaves.ts";
import { PriceSetting, SynonymSetting } from "./settings/named_members.tsx";
import { ContextTuning } from "./settings/tuning.tsx";
import { WeightSettings } from "./settings/weights.tsx";

const PATH = "/v1/projects/{project}/settings";
type Edits = ReadonlyMap<string, leaves.Leaf | undefined>;
const NONE: Edits = new Map();

interface Known {
  readonly settings: leaves.Settings;
  readonly etag: string | null;
  readonly defaults: leaves.Settings;
}

export default function SettingsPage() {
  const project = place.value.project ?? "";
  const known = useLoaded(project, (signal) => readSettings(project, signal));
  const { value, problem } = known.state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Settings</h1>
        <span class="page-note">
          of {project}
          {value && (value.settings.version ? `, version ${count(value.settings.version)}` : ", never set")}
        </span>
      </header>
      {problem && <ProblemNotice problem={problem} retry={known.reload} />}
      {value && <SettingsForm known={value} set={known.set} project={project} />}
    </div>
  );
}

async function readSettings(project: string, signal: AbortSignal | null = null): Promise<Known> {
  const path = { project };
  const [{ json, etag }, defaults] = await Promise.all([
    call("get", PATH, { path, signal }),
    call("get", `${PATH}/defaults`, { path, signal }),
  ]);
  return { settings: json, etag, defaults: defaults.json };
}

interface FormProps {
  known: Known;
  set: (known: Known) => void;
  project: string;
}

function SettingsForm({ known, set, project }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [edits, setEdits] = useState(NONE);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [newer, setNewer] = useState<Known | null>(null);
  const stored = leaves.leavesOf(known.settings);
  const defaults = leaves.leavesOf(known.defaults);
  const now = leaves.edited(stored, edits);
  const edit = (path: string, value: leaves.Leaf | undefined) =>
    setEdits((before) => changed(before, path, value, stored));
  const save = async () => {
    if (edits.size === 0) return;
    try {
      const undo = leaves.patchOf(backTo(stored, edits), defaults);
      const saved = await patched(project, leaves.patchOf(edits, defaults), known);
      set(saved);
      setEdits(NONE);
      setProblem(null);
      toast("Saved", async () => set(await patched(project, undo, saved)));
    } catch (error) {
      const found = asProblem(error);
      setProblem(found.isStale ? null : found);
      if (found.isStale) setNewer(await readSettings(project));
    }
  };
  const takeNote = () => {
    if (newer) set(newer);
    setNewer(null);
  };
  const editing = { now, defaults, edit, errorAt: (path: string) => errorOf(problem, path) };
  return (
    <>
      <form
        class="settings"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="page">
          <Groups editing={editing} />
        </div>
        <aside class="settings-aside">
          {newer && <ChangedMeanwhile seen={known} newer={newer} takeNote={takeNote} />}
          {problem && <ProblemNotice problem={problem} />}
          <Differences title="To be saved" before="now" after="then" found={leaves.differences(stored, now)}>
            <div class="toolbar">
              <Button kind="primary" type="submit" disabled={newer !== null}>
                Save
              </Button>
              <Button disabled={edits.size === 0} onClick={() => setEdits(NONE)}>
                Discard
              </Button>
            </div>
          </Differences>
          <Differences
            title="Differs from the defaults"
            before="default"
            after="here"
            found={leaves.differences(defaults, now)}
          />
        </aside>
      </form>
      <UnsavedQuestion form={form} isEdited={edits.size > 0} />
    </>
  );
}

function changed(before: Edits, path: string, value: leaves.Leaf | undefined, stored: leaves.Leaves): Edits {
  const next = new Map(before);
  if (leaves.equalLeaf(stored.get(path), value)) next.delete(path);
  else next.set(path, value);
  return next;
}

/** Edits that take these edits back. */
function backTo(stored: leaves.Leaves, edits: Edits): Edits {
  return new Map([...edits.keys()].map((path) => [path, stored.get(path)]));
}

async function patched(project: string, patch: Record<string, unknown>, known: Known): Promise<Known> {
  const { json, etag } = await call("patch", PATH, {
    path: { project },
    body: patch as never,
    ifMatch: known.etag,
  });
  return { ...known, settings: json, etag };
}

function errorOf(problem: ApiProblem | null, path: string): string | null {
  const isAt = (pointer: string) => pointer === `/${path}` || pointer.startsWith(`/${path}/`);
  return problem?.document?.errors.find((one) => isAt(one.pointer))?.detail ?? null;
}

function Groups({ editing }: { editing: fields.Editing }) {
  const choice = (path: string) => {
    const found = CHOICES.find((one) => one.path === path);
    return found && <fields.ChoiceSetting choice={found} editing={editing} />;
  };
  return (
    <>
      <Group title="What may be said">
        <fields.SourcesSetting editing={editing} />
        <fields.NamesSetting
          path="event_sources"
          label="Sources of entity events"
          effect="Names of agents' tokens, with a blank between two: their events take what they make doubtful out of recall, as a person's do."
          editing={editing}
        />
        {choice("privacy_mode")}
      </Group>
      <Group title="What is found">
        {choice("profile")}
        {choice("blend")}
        {choice("outcome_model")}
        <fields.NumberSetting
          path="prompt_limit"
          label="Memories in a prompt"
          effect="of a prompt that names no limit itself"
          editing={editing}
        />
        <fields.NumberSetting
          path="exploration"
          label="How much lists try out"
          effect="0 to 1: among what is about equally relevant, what verdicts have not told apart is tried out; 0: never. Prompts and contexts never try out."
          editing={editing}
        />
        <SynonymSetting editing={editing} />
      </Group>
      <Group title="What a context holds">
        <WeightSettings editing={editing} />
        <ContextTuning />
        <PriceSetting editing={editing} />
        <fields.SwitchSetting
          path="context_prefetch"
          label="Assemble contexts before they are asked for"
          effect="between its requests, where a session's next one can be foreseen; refused on AWS, where nothing runs between requests"
          editing={editing}
        />
      </Group>
      <Group title="How long it is kept">
        <fields.ExpirySettings editing={editing} />
      </Group>
      <Group title="How much one caller may do">
        <fields.LimitSettings editing={editing} />
      </Group>
      <Group title="What stays near">
        <fields.TierSettings editing={editing} />
      </Group>
    </>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface DifferencesProps {
  title: string;
  before: string;
  after: string;
  found: readonly leaves.Difference[];
  children?: ComponentChildren;
}

function Differences({ title, before, after, found, children }: DifferencesProps) {
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title} <span class="soft">{count(found.length)}</span>
      </h2>
      {found.length === 0 ? (
        <p class="soft">Nothing.</p>
      ) : (
        <DifferenceTable title={title} before={before} after={after} found={found} />
      )}
      {children}
    </section>
  );
}

function DifferenceTable({ title, before, after, found }: DifferencesProps) {
  return (
    <table class="table">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      <tbody>
        {found.map((one) => (
          <tr key={one.path}>
            <td>{leaves.pathText(one.path)}</td>
            <td class="soft">{leaves.leafText(one.before)}</td>
            <td>{leaves.leafText(one.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Tells what somebody else has changed since; the edits stay, and are saved over the newer version. */
function ChangedMeanwhile({ seen, newer, takeNote }: { seen: Known; newer: Known; takeNote: () => void }) {
  const found = leaves.differences(leaves.leavesOf(seen.settings), leaves.leavesOf(newer.settings));
  return (
    <div class="notice" data-tone="warn" role="alert">
      <div class="notice-text">
        <h2>Somebody has changed them meanwhile, nothing was saved</h2>
        <ul>
          {found.map((one) => (
            <li key={one.path}>
              {leaves.pathText(one.path)}: {leaves.leafText(one.before)} → {leaves.leafText(one.after)}
            </li>
          ))}
        </ul>
        <Button onClick={takeNote}>Take note, and keep my edits</Button>
      </div>
    </div>
  );
}
