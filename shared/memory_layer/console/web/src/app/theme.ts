// Theme: as the system has it, until the person chooses; the choice is kept by the browser.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "memory-layer-theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>(keptTheme());

function keptTheme(): Theme {
  const kept = readKept();
  return THEMES.find((one) => one === kept) ?? "system";
}

function readKept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing still follows the system
  }
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    return; // it holds until the page is left
  }
}

/** Has the page in the chosen theme, or in the system's, also when that changes: styles know the two alone. */
export function applyTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = signal(system.matches);
  system.addEventListener("change", () => {
    isDark.value = system.matches;
  });
  effect(() => {
    const bySystem = isDark.value ? "dark" : "light";
    document.documentElement.dataset.theme = theme.value === "system" ? bySystem : theme.value;
  });
}
