// Theme: as the system has it, until the person chooses; the choice is kept by the browser.

import { computed, effect, signal } from "@preact/signals";

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

const system = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(system.matches);

/** Theme that is shown: the chosen one, or the system's, also when that changes. Styles know these two alone. */
export const shownTheme = computed(() => {
  const bySystem = isSystemDark.value ? "dark" : "light";
  return theme.value === "system" ? bySystem : theme.value;
});

export function applyTheme(): void {
  system.addEventListener("change", () => {
    isSystemDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = shownTheme.value;
  });
}
