// Forms of a memory: what it says and its labels, and the correction that takes its place.

import { useRef, useState } from "preact/hooks";
import { get, type Memory, type Schemas } from "../../api/client.ts";
import { type ApiProblem, asProblem } from "../../api/problem.ts";
import { changeQuery, goTo, letPageGo, linkTo } from "../../app/router.ts";
import { UnsavedQuestion } from "../../app/unsaved.tsx";
import { Button } from "../../widgets/button.tsx";
import { errorAt, SelectField, TextField } from "../../widgets/field.tsx";
import { ProblemNotice } from "../../widgets/notice.tsx";
import { toast } from "../../widgets/toast.tsx";
import { WordDiff } from "../../widgets/word_diff.tsx";
import { Proposed, revise, supersede, tellRefusal, type Undo } from "./changes.ts";
import { CHOICES } from "./filters.tsx";

/** Parameter of the address that says which form is open. */
const FORM = "form";

/** Closes the form; its words are saved by then, or given up. */
function close(): void {
  letPageGo();
  changeQuery({ [FORM]: null });
}

interface Draft {
  readonly content: string;
  readonly context: string;
  readonly category: string;
  readonly type: string;
  readonly tags: string;
  readonly entities: string;
}

function draftOf(memory: Memory): Draft {
  return {
    content: memory.content,
    context: memory.context ?? "",
    category: memory.category,
    type: memory.type,
    tags: memory.tags.join(", "),
    entities: memory.entities.join(", "),
  };
}

/** Fields that differ from what the record had when the form was opened: all others stay as they are now. */
function changedFields(draft: Draft, base: Memory): Schemas["Revision"] {
  const before = draftOf(base);
  const names = (Object.keys(draft) as (keyof Draft)[]).filter((name) => draft[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, fieldOf(name, draft[name])])) as Schemas["Revision"];
}

function fieldOf(name: keyof Draft, text: string): unknown {
  if (name === "tags" || name === "entities")
    return text
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
  return name === "context" && !text ? null : text;
}

export function EditForm({ memory, reload }: { memory: Memory; reload: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState(memory);
  const [draft, setDraft] = useState(() => draftOf(memory));
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [newer, setNewer] = useState<Memory | null>(null);
  const set = (name: keyof Draft) => (value: string) => setDraft({ ...draft, [name]: value });
  const save = async (over: Memory) => {
    const fields = changedFields(draft, base);
    if (Object.keys(fields).length === 0) return close();
    try {
      tellSaved(await revise(over, fields), reload);
      close();
    } catch (error) {
      if (error instanceof Proposed) return leave(error);
      const found = asProblem(error);
      setProblem(found.isStale ? null : found);
      if (found.isStale) setNewer(await readAgain(memory));
    }
  };
  const leave = (error: unknown) => {
    tellRefusal(error);
    close();
  };
  const takeTheirs = (theirs: Memory) => {
    setBase(theirs);
    setDraft(draftOf(theirs));
    setNewer(null);
  };
  return (
    <form
      class="card"
      aria-label="Edit"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void save(base);
      }}
    >
      <h2>Edit</h2>
      <UnsavedQuestion
        form={form}
        isEdited={Object.keys(changedFields(draft, base)).length > 0}
        shownBy={FORM}
      />
      {newer && (
        <ChangedMeanwhile
          base={base}
          newer={newer}
          mine="Save mine over it"
          keepMine={() => void save(newer)}
          takeTheirs={() => takeTheirs(newer)}
        />
      )}
      {problem && <ProblemNotice problem={problem} />}
      <TextField
        label="Content"
        rows={4}
        value={draft.content}
        onChange={set("content")}
        error={errorAt(problem, "/content")}
      />
      <TextField
        label="Context"
        value={draft.context}
        onChange={set("context")}
        error={errorAt(problem, "/context")}
      />
      <div class="filters">
        <SelectField
          label="Category"
          value={draft.category}
          options={CHOICES.category}
          onChange={set("category")}
        />
        <SelectField label="Type" value={draft.type} options={CHOICES.type} onChange={set("type")} />
        <TextField
          label="Tags, by comma"
          value={draft.tags}
          onChange={set("tags")}
          error={errorAt(problem, "/tags")}
        />
        <TextField
          label="Entities, by comma"
          value={draft.entities}
          onChange={set("entities")}
          error={errorAt(problem, "/entities")}
        />
      </div>
      <div class="toolbar">
        <Button kind="primary" type="submit" disabled={newer !== null}>
          Save
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
}

function tellSaved(undo: Undo, reload: () => void): void {
  toast("Saved", () => undo().finally(reload));
  reload();
}

function readAgain({ project, id }: Memory): Promise<Memory> {
  return get("/v1/projects/{project}/memories/{id}", { path: { project, id } });
}

interface MeanwhileProps {
  base: Memory;
  newer: Memory;
  mine: string;
  keepMine: () => void;
  takeTheirs: () => void;
}

/** Tells what somebody else has changed since the form was opened; nothing is written before the person decides. */
function ChangedMeanwhile({ base, newer, mine, keepMine, takeTheirs }: MeanwhileProps) {
  return (
    <div class="notice" data-tone="warn" role="alert">
      <div class="notice-text">
        <h2>Somebody has changed it meanwhile: version {newer.version}</h2>
        {base.content === newer.content ? (
          <p>Its words are the same; other fields have changed.</p>
        ) : (
          <WordDiff before={base.content} after={newer.content} />
        )}
        <div class="toolbar">
          <Button onClick={keepMine}>{mine}</Button>
          <Button onClick={takeTheirs}>Take theirs</Button>
        </div>
      </div>
    </div>
  );
}

export function SupersedeForm({ memory }: { memory: Memory }) {
  const form = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState(memory);
  const [content, setContent] = useState(memory.content);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [newer, setNewer] = useState<Memory | null>(null);
  const send = async (over: Memory) => {
    try {
      const id = await putInPlace(over, content, reason);
      if (!id) return close();
      letPageGo();
      goTo(linkTo("memories", {}, [id]));
    } catch (error) {
      const found = asProblem(error);
      setProblem(found.isStale ? null : found);
      if (found.isStale) setNewer(await readAgain(memory));
    }
  };
  const takeTheirs = (theirs: Memory) => {
    setBase(theirs);
    setContent(theirs.content);
    setNewer(null);
  };
  return (
    <form
      class="card"
      aria-label="Supersede"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void send(base);
      }}
    >
      <h2>Supersede</h2>
      <UnsavedQuestion form={form} isEdited={content !== base.content || reason !== ""} shownBy={FORM} />
      <p class="soft">The correction takes its place in every recall; this one stays in the history.</p>
      {newer && (
        <ChangedMeanwhile
          base={base}
          newer={newer}
          mine="Put mine in its place"
          keepMine={() => void send(newer)}
          takeTheirs={() => takeTheirs(newer)}
        />
      )}
      {problem && <ProblemNotice problem={problem} />}
      <TextField
        label="What is true instead"
        rows={4}
        value={content}
        onChange={setContent}
        error={errorAt(problem, "/content")}
      />
      {content !== base.content && <WordDiff before={base.content} after={content} />}
      <TextField label="Why" value={reason} onChange={setReason} error={errorAt(problem, "/reason")} />
      <div class="toolbar">
        <Button kind="primary" type="submit" disabled={newer !== null || content.trim() === base.content}>
          Put it in its place
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
}

/** Supersedes, and resolves to the id of the correction; null: it is a proposal for now. */
async function putInPlace(memory: Memory, content: string, reason: string): Promise<string | null> {
  const said = { content, reason: reason || null } as Schemas["Supersession"];
  const { id, isProposed, undo } = await supersede(memory, said);
  if (isProposed) {
    tellRefusal(new Proposed());
    return null;
  }
  toast("Superseded", () => undo().then(() => goTo(linkTo("memories", {}, [memory.id]))));
  return id;
}
