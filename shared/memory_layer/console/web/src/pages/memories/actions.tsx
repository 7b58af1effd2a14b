// Actions on a memory: those that the caller may do and that its status leaves open.

import type { Memory, Schemas } from "../../api/client.ts";
import { caller, mayChange, mayPin, mayReview } from "../../app/caller.ts";
import { changeQuery } from "../../app/router.ts";
import { Button } from "../../widgets/button.tsx";
import * as changes from "./changes.ts";
import { isOver, mayApprove, mayEdit } from "./open_actions.ts";
import type { Places } from "./places.tsx";
import { fieldsChanged, type Version } from "./versions.tsx";

interface ActionsProps {
  memory: Memory;
  versions: readonly Version[];
  /** Places that its approval takes: while they are being read, it is not offered. */
  places: Places;
  reload: () => void;
}

const STANDING = ["status", "status_reason", "superseded_by", "approved_by", "approved_at"];
const WORDS = [
  "type",
  "category",
  "content",
  "summary",
  "detail",
  "context",
  "tags",
  "entities",
  "relations",
];

export function MemoryActions({ memory, versions, places, reload }: ActionsProps) {
  const act = (what: string, change: () => Promise<changes.Undo | null>) => () =>
    void changes.told(what, change, reload);
  const mine = mayChange(memory);
  const open = mayEdit(memory);
  const undoable = lastChangeOfStanding(memory, versions);
  return (
    <div class="toolbar" role="toolbar" aria-label="Actions">
      {open && <Button onClick={() => changeQuery({ form: "edit" })}>Edit</Button>}
      {open && <Button onClick={() => changeQuery({ form: "supersede" })}>Supersede</Button>}
      {open && mayPin() && (
        <Button
          onClick={act(memory.pinned ? "Unpinned" : "Pinned", () =>
            changes.revise(memory, { pinned: !memory.pinned } as Schemas["Revision"]),
          )}
        >
          {memory.pinned ? "Unpin" : "Pin"}
        </Button>
      )}
      {mayApprove(memory) && places.waiting && (
        <Button onClick={act("Approved", () => changes.approve(memory, places.waiting))}>
          {places.waiting.length > 0 ? "Approve in its place" : "Approve"}
        </Button>
      )}
      {mayReview() && !isOver(memory) && (
        <Button onClick={act("Rejected", () => changes.reject(memory))}>Reject</Button>
      )}
      {mine && (memory.status === "stale" || memory.doubted) && (
        <Button onClick={act("Confirmed", () => changes.confirm(memory))}>It still holds</Button>
      )}
      {open && <Button onClick={act("Archived", () => changes.archive(memory))}>Archive</Button>}
      {mine && undoable && (
        <Button onClick={act("Taken back", () => changes.undoLast(memory))}>Undo “{undoable.verb}”</Button>
      )}
      {memory.status === "active" && <OutcomeButtons memory={memory} reload={reload} />}
    </div>
  );
}

function OutcomeButtons({ memory, reload }: { memory: Memory; reload: () => void }) {
  const report = (result: Schemas["OutcomeResult"]) => () =>
    void changes.told(`Reported: ${result}`, () => changes.report(memory, result), reload);
  return (
    <fieldset class="toolbar outcome-buttons">
      <legend class="visually-hidden">Did it help?</legend>
      <Button kind="quiet" onClick={report("worked")}>
        Worked
      </Button>
      <Button kind="quiet" onClick={report("partial")}>
        In part
      </Button>
      <Button kind="quiet" onClick={report("failed")}>
        Failed
      </Button>
    </fieldset>
  );
}

/** Last change of status or approval, where an undo of it would be taken. */
function lastChangeOfStanding(memory: Memory, versions: readonly Version[]): Version | null {
  const own = versions.filter((one) => one.memory.id === memory.id);
  for (let at = own.length - 1; at > 0; at--) {
    const [before, after] = [own[at - 1], own[at]];
    if (!before || !after) continue;
    const changed = fieldsChanged(before.memory, after.memory);
    if (!changed.some((name) => STANDING.includes(name))) continue;
    if (changed.some((name) => WORDS.includes(name))) return null;
    return mayReview() || after.by === caller.value?.name ? after : null;
  }
  return null;
}
