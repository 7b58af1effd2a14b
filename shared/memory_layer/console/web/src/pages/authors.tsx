// Authors: whose lines people and independent agents found wrong, what that costs them in recall, and a new beginning.

import { useState } from "preact/hooks";
import { call, get, type Schemas } from "../api/client.ts";
import { useLoaded } from "../api/load.ts";
import { type ApiProblem, asProblem } from "../api/problem.ts";
import { forwardPaging, PAGE, readPagePlace, seekBy } from "../app/paging.ts";
import { linkTo, place } from "../app/router.ts";
import { Badge } from "../widgets/badge.tsx";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { errorAt, TextField } from "../widgets/field.tsx";
import { absoluteText, count, share, utcDayText } from "../widgets/moment.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { type Column, Pager, Table } from "../widgets/table.tsx";
import { toast } from "../widgets/toast.tsx";

type Author = Schemas["AuthorAnswer"];

const SHOWN_IDS = 3;

export default function AuthorsPage() {
  const project = place.value.project ?? "";
  const at = readPagePlace(place.value.query);
  const [asked, ask] = useState<Author | null>(null);
  const read = (limit: number, cursor: string | undefined, signal: AbortSignal) =>
    get("/v1/projects/{project}/authors", { path: { project }, query: { limit, cursor }, signal });
  const page = useLoaded(`${project} ${at.cursor}`, (signal) => read(PAGE, at.cursor || undefined, signal));
  const { value, problem, isLoading } = page.state.value;
  const authors = value?.authors ?? [];
  const seek = seekBy(async (...wanted) => {
    const found = await read(...wanted);
    return { rows: found.authors.length, next: found.next_cursor ?? null };
  });
  const next = isLoading ? null : (value?.next_cursor ?? null);
  const columns = [
    ...COLUMNS,
    { name: "act", title: "", show: (row: Author) => <Act author={row} ask={ask} /> },
  ];
  return (
    <div class="page">
      <header class="page-head">
        <h1>Authors</h1>
        <span class="page-note">those who rank lowest first</span>
      </header>
      <p class="soft">
        Unreviewed lines of an author of whom lines were found wrong stand lower in every recall, and lines
        that were found right bring them up again. What people said or approved is not touched.
      </p>
      {problem && <ProblemNotice problem={problem} retry={page.reload} />}
      {authors.length > 0 && (
        <Table
          caption="Authors whose lines were judged"
          rows={authors}
          columns={columns}
          keyOf={(row) => row.id}
          isBusy={isLoading}
        />
      )}
      {value && authors.length === 0 && (
        <EmptyState title="Nobody's lines were judged">
          <p>
            Verdicts on memories and decisions in the inbox are counted here, for the authors of the lines.
          </p>
        </EmptyState>
      )}
      {value && (
        <Pager {...forwardPaging(at, authors.length, next, seek)} shown={authors.length} total={null} />
      )}
      {asked && <ResetForm project={project} author={asked} close={() => ask(null)} done={page.reload} />}
    </div>
  );
}

const COLUMNS: readonly Column<Author>[] = [
  { name: "author", title: "Author", show: (row) => <Name author={row} /> },
  { name: "wrong", title: "Found wrong", show: (row) => <Wrong author={row} /> },
  {
    name: "right",
    title: "Found right",
    show: (row) => <Counts people={row.right_by_people} agents={row.right_by_agents} />,
  },
  { name: "lowered", title: "In recall", show: (row) => <Lowered author={row} />, class: "cell-short" },
  { name: "last", title: "Last finding", show: (row) => <Last author={row} />, class: "cell-short" },
];

function Name({ author }: { author: Author }) {
  return (
    <>
      {author.author ?? <span class="soft">no name</span>} {author.is_end_user && <Badge>end user</Badge>}
      <div class="soft">
        <code>{author.id}</code>
      </div>
      {author.reset_at && (
        <div class="soft">
          began anew {absoluteText(author.reset_at)}
          {author.reset_by && ` by ${author.reset_by}`}
          {author.reset_reason && `: ${author.reset_reason}`}
        </div>
      )}
    </>
  );
}

function Wrong({ author }: { author: Author }) {
  const shown = author.memories.slice(0, SHOWN_IDS);
  return (
    <>
      <Counts people={author.wrong_by_people} agents={author.wrong_by_agents} />
      {author.corrected > 0 && (
        <div class="soft">{count(author.corrected)} of these corrected, which count half</div>
      )}
      <div class="memory-line-meta">
        {shown.map((id) => (
          <a key={id} href={linkTo("memories", {}, [id])}>
            <code>{id}</code>
          </a>
        ))}
      </div>
    </>
  );
}

function Counts({ people, agents }: { people: number; agents: number }) {
  return (
    <>
      {count(people)} by people, {count(agents)} by agents
    </>
  );
}

function Lowered({ author }: { author: Author }) {
  if (author.lowered_by === 0) return <span class="soft">as others</span>;
  return (
    <>
      <Badge tone="warn">{`−${share(author.lowered_by)}`}</Badge>
      <div class="soft">behind {count(author.behind)} others at most</div>
    </>
  );
}

function Last({ author }: { author: Author }) {
  return author.last_found ? (
    <span>{utcDayText(author.last_found)}</span>
  ) : (
    <span class="soft">none since the reset</span>
  );
}

function Act({ author, ask }: { author: Author; ask: (author: Author) => void }) {
  return author.last_found ? <Button onClick={() => ask(author)}>Begin anew</Button> : null;
}

interface ResetProps {
  project: string;
  author: Author;
  close: () => void;
  done: () => void;
}

/** Asks why, and has the record begin anew. It is taken back by a rollback of who did it alone, so it is asked first. */
function ResetForm({ project, author, close, done }: ResetProps) {
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const name = author.author ?? author.id;
  const reset = async () => {
    setBusy(true);
    try {
      await call("post", "/v1/projects/{project}/authors/{author}/reset", {
        path: { project, author: author.id },
        body: { reason: reason.trim() || null },
      });
      close();
      toast(`The record of ${name} begins anew`);
      done();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Begin the record of ${name} anew`}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="danger" disabled={isBusy} onClick={() => void reset()}>
            Begin anew
          </Button>
        </>
      }
    >
      <p>What was found of these lines until now counts no more. The audit log tells who did it.</p>
      {problem && <ProblemNotice problem={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void reset();
        }}
      >
        <TextField
          label="Why"
          value={reason}
          onChange={setReason}
          rows={2}
          error={errorAt(problem, "/reason")}
        />
      </form>
    </Dialog>
  );
}
