// Help: the shortcuts that hold on the page that is shown.

import { Dialog } from "../widgets/dialog.tsx";
import { heldShortcuts, isHelpShown } from "./shortcuts.ts";

export function KeyboardHelp() {
  const close = () => {
    isHelpShown.value = false;
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {heldShortcuts().map((one) => (
          <>
            <dt>
              {one.keys.split(" ").map((key) => (
                <>
                  <kbd>{key}</kbd>{" "}
                </>
              ))}
            </dt>
            <dd>{one.does}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
