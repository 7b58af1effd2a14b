// Form for words that a person writes while deciding: an edit, a correction, or what two memories say from now on.

import { useState } from "preact/hooks";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { TextField } from "../../widgets/field.tsx";
import { WordDiff } from "../../widgets/word_diff.tsx";

export interface Wording {
  readonly title: string;
  readonly verb: string;
  readonly words: string;
  /** Words that were written before, where the decision with them was refused or taken back. */
  readonly draft?: string | undefined;
  /** Takes note of words that are not saved; null: they are as they were. */
  readonly keep: (words: string | null) => void;
  readonly save: (words: string) => void;
}

export function WordingForm({ wording, close }: { wording: Wording; close: () => void }) {
  const [words, setWords] = useState(wording.draft ?? wording.words);
  const isSameAs = (said: string) => said.trim() === "" || said.trim() === wording.words.trim();
  const isSame = isSameAs(words);
  const write = (said: string) => {
    setWords(said);
    wording.keep(isSameAs(said) ? null : said);
  };
  const save = () => {
    if (isSame) return;
    close();
    wording.save(words.trim());
  };
  return (
    <Dialog
      title={wording.title}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" disabled={isSame} onClick={save}>
            {wording.verb}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
        }}
      >
        <TextField
          label="Words"
          rows={6}
          value={words}
          onChange={write}
          hint="Ctrl and Enter saves, Escape leaves; what you wrote stays here"
        />
      </form>
      {!isSame && <WordDiff before={wording.words} after={words} />}
    </Dialog>
  );
}
