// Question before a page is left on which something was changed and not saved, in the browser's language.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../widgets/button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { holdPage } from "./router.ts";

const WORDS = {
  en: {
    title: "Leave without saving?",
    told: "You have changed something here, and nothing of it is saved yet.",
    stay: "Stay",
    leave: "Leave without saving",
  },
  de: {
    title: "Ohne Speichern verlassen?",
    told: "Du hast hier etwas geändert, und noch ist nichts davon gespeichert.",
    stay: "Hierbleiben",
    leave: "Ohne Speichern verlassen",
  },
} as const;
type Language = keyof typeof WORDS;

/** First language of the browser's that there are words in. */
function languageOf(languages: readonly string[]): Language {
  const codes = languages.map((one) => one.slice(0, 2).toLowerCase());
  return codes.find((code): code is Language => code in WORDS) ?? "en";
}

interface UnsavedProps {
  /** Form of which a field that is being typed in, or cannot be read, counts as well. */
  form?: RefObject<HTMLFormElement | null>;
  /** There are edits. */
  isEdited: boolean;
  /** Parameter of the address that keeps the edits in sight. */
  shownBy?: string;
}

export function UnsavedQuestion({ form, isEdited, shownBy }: UnsavedProps) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const edited = useRef(isEdited);
  edited.current = isEdited;
  useLayoutEffect(() => watched({ form, shownBy }, edited, (go) => setLeave(() => go)), []);
  if (!leave) return null;
  const language = languageOf(navigator.languages);
  const words = WORDS[language];
  const stay = () => setLeave(null);
  return (
    <div lang={language}>
      <Dialog
        title={words.title}
        onClose={stay}
        actions={
          <>
            <Button kind="primary" onClick={stay}>
              {words.stay}
            </Button>
            <Button onClick={leave}>{words.leave}</Button>
          </>
        }
      >
        <p>{words.told}</p>
      </Dialog>
    </div>
  );
}

/** Watches whoever leaves: another page of the console, another project, the tab. Returns what ends it. */
function watched(
  { form, shownBy }: Pick<UnsavedProps, "form" | "shownBy">,
  edited: { readonly current: boolean },
  ask: (leave: () => void) => void,
): () => void {
  let typing = false;
  const isUnsaved = () =>
    edited.current || typing || form?.current?.querySelector("[aria-invalid=true]") != null;
  const warn = (event: BeforeUnloadEvent) => {
    if (isUnsaved()) event.preventDefault();
  };
  const stop = new AbortController();
  form?.current?.addEventListener("input", () => (typing = true), { signal: stop.signal });
  form?.current?.addEventListener("focusout", () => (typing = false), { signal: stop.signal });
  addEventListener("beforeunload", warn, { signal: stop.signal });
  const release = holdPage({ isUnsaved, ask, shownBy });
  return () => {
    stop.abort();
    release();
  };
}
