// Entry: signs in by the link's token, then shows the page that the address names.

import "uplot/dist/uPlot.min.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/widgets.css";
import { render } from "preact";
import { ConsoleFrame } from "./app/frame.tsx";
import { listenToAddress } from "./app/router.ts";
import { enter } from "./app/session.ts";
import { applyTheme } from "./app/theme.ts";

async function start(): Promise<void> {
  applyTheme();
  await enter();
  listenToAddress();
  const root = document.getElementById("console");
  if (root) render(<ConsoleFrame />, root);
}

void start();
