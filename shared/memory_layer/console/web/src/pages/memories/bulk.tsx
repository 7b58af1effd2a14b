// Actions on the memories that are selected: on those of which the API takes them, each by itself, all taken back together.
// A proposal is approved on its own page or in the inbox, where the place that it takes is shown.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { Button } from "../../widgets/button.tsx";
import { count } from "../../widgets/moment.tsx";
import { toast } from "../../widgets/toast.tsx";
import { approve, archive, revise, tellRefusal, type Undo } from "./changes.ts";
import type { Row } from "./columns.tsx";
import { mayApprove, mayEdit } from "./open_actions.ts";
import { proposedFor } from "./places.tsx";

const SIDE_BY_SIDE = 4;

interface BulkProps {
  memories: readonly Row[];
  done: () => void;
  clear: () => void;
}

export function BulkActions({ memories, done, clear }: BulkProps) {
  const open = memories.filter(mayEdit);
  const approvable = memories.filter(mayApprove).filter((one) => proposedFor(one).length === 0);
  const ofAll = (some: readonly Row[]) => (some.length < memories.length ? ` ${count(some.length)}` : "");
  const act = (some: readonly Row[], what: string, change: (memory: Row) => Promise<Undo>) => () =>
    void changeEach(some, done, what, change);
  return (
    <div class="toolbar bulk" role="toolbar" aria-label="Selected memories">
      <strong aria-live="polite">{count(memories.length)} selected</strong>
      {open.length > 0 && <Button onClick={act(open, "archived", archive)}>Archive{ofAll(open)}</Button>}
      {approvable.length > 0 && (
        <Button onClick={act(approvable, "approved", (memory) => approve(memory))}>
          Approve{ofAll(approvable)}
        </Button>
      )}
      {open.length > 0 && (
        <TagForm
          says={`Add the tag${ofAll(open) && ` to${ofAll(open)}`}`}
          add={(tag) => act(open, `tagged ${tag}`, (memory) => withTag(memory, tag))()}
        />
      )}
      {open.length === 0 && approvable.length === 0 && (
        <span class="soft">Nothing may be done with these here</span>
      )}
      <Button kind="quiet" onClick={clear}>
        Select none
      </Button>
    </div>
  );
}

function TagForm({ says, add }: { says: string; add: (tag: string) => void }) {
  const [tag, setTag] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (tag.trim()) add(tag.trim());
    setTag("");
  };
  return (
    <form class="toolbar" onSubmit={submit}>
      <input
        class="input bulk-tag"
        type="text"
        aria-label="Tag"
        placeholder="Tag"
        value={tag}
        onInput={(event) => setTag(event.currentTarget.value)}
      />
      <Button type="submit" disabled={!tag.trim()}>
        {says}
      </Button>
    </form>
  );
}

function withTag(memory: Row, tag: string): Promise<Undo> {
  const tags = memory.tags.includes(tag) ? memory.tags : [...memory.tags, tag];
  return revise(memory, { tags } as Schemas["Revision"]);
}

/** Does the same to each memory, some side by side; what somebody has changed meanwhile is told, and left as it is. */
async function changeEach(
  memories: readonly Row[],
  done: () => void,
  what: string,
  change: (memory: Row) => Promise<Undo>,
): Promise<void> {
  const undos: Undo[] = [];
  const refusals: unknown[] = [];
  await inTurns(memories, async (memory) => {
    try {
      undos.push(await change(memory));
    } catch (error) {
      refusals.push(error);
    }
  });
  done();
  tellRefusals(refusals);
  if (undos.length > 0) toast(`${count(undos.length)} ${what}`, () => takeBack(undos).finally(done));
}

function takeBack(undos: readonly Undo[]): Promise<void> {
  return inTurns(undos, (undo) => undo());
}

async function inTurns<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
}

function tellRefusals(refusals: readonly unknown[]): void {
  if (refusals.length > 1) toast(`${count(refusals.length)} were refused; the first one says why`);
  if (refusals.length > 0) tellRefusal(refusals[0]);
}
