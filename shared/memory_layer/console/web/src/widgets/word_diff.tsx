// Difference of two texts by words: the longest common subsequence, after what begins and ends alike is set aside.

export interface DiffPart {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

const LONGEST_TABLE = 4_000_000;

export function WordDiff({ before, after }: { before: string; after: string }) {
  return (
    <p class="diff">
      {wordDiff(before, after).map((part, place) => {
        const key = `${place}`;
        if (part.kind === "added") return <ins key={key}>{part.text}</ins>;
        if (part.kind === "removed") return <del key={key}>{part.text}</del>;
        return <span key={key}>{part.text}</span>;
      })}
    </p>
  );
}

export function wordDiff(before: string, after: string): DiffPart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const head = commonHead(old, now);
  const tail = commonHead(old.slice(head).reverse(), now.slice(head).reverse());
  const middle = middleParts(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return united([...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)]);
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function commonHead(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

function middleParts(old: readonly string[], now: readonly string[]): DiffPart[] {
  if (old.length * now.length > LONGEST_TABLE) return [...old.map(removed), ...now.map(added)];
  const table = lengths(old, now);
  const width = now.length + 1;
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [word = "", other = ""] = [old[i], now[j]];
    const down = table[(i + 1) * width + j] ?? -1;
    const right = table[i * width + j + 1] ?? -1;
    if (i < old.length && j < now.length && word === other) {
      parts.push(same(word));
      i++;
      j++;
    } else if (i < old.length && (j >= now.length || down >= right)) {
      parts.push(removed(word));
      i++;
    } else {
      parts.push(added(other));
      j++;
    }
  }
  return parts;
}

/** Lengths of the longest common subsequence of all ends, row by row. */
function lengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const [down, right] = [table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0];
      const next = (table[(i + 1) * width + j + 1] ?? 0) + 1;
      table[i * width + j] = old[i] === now[j] ? next : Math.max(down, right);
    }
  }
  return table;
}

function united(parts: readonly DiffPart[]): DiffPart[] {
  const found: DiffPart[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last?.kind === part.kind) found[found.length - 1] = { kind: part.kind, text: last.text + part.text };
    else found.push(part);
  }
  return found;
}

const same = (text: string): DiffPart => ({ kind: "same", text });
const added = (text: string): DiffPart => ({ kind: "added", text });
const removed = (text: string): DiffPart => ({ kind: "removed", text });
