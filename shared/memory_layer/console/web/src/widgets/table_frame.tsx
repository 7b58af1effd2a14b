// Frame of a table: where the table is wider than the window the frame scrolls, and is then a stop of the keyboard with
// a name of its own.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export function TableFrame({ label, children }: { label: string; children: ComponentChildren }) {
  const held = useRef<HTMLDivElement>(null);
  const [isScrolled, setIsScrolled] = useState(false);
  useLayoutEffect(() => {
    const frame = held.current;
    if (!frame) return;
    const seen = new ResizeObserver(() => setIsScrolled(frame.scrollWidth > frame.clientWidth));
    for (const one of [frame, ...frame.children]) seen.observe(one);
    return () => seen.disconnect();
  }, []);
  const stop = isScrolled ? { tabIndex: 0, role: "region" as const, "aria-label": label } : {};
  return (
    <div class="table-frame" ref={held} {...stop}>
      {children}
    </div>
  );
}
