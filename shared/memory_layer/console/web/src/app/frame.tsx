// Frame: navigation, top bar, and the page that the address names, loaded when it is first shown.

import { signal, useSignalEffect } from "@preact/signals";
import { builtPages } from "built-pages";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isLive, useFeed } from "../api/events.ts";
import { ApiProblem, asProblem } from "../api/problem.ts";
import { isAnyUnderWay } from "../api/under_way.ts";
import { IconButton } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";
import { EmptyState, ProblemNotice } from "../widgets/notice.tsx";
import { Toasts, undoNewest } from "../widgets/toast.tsx";
import { caller, mayOpen, readCaller } from "./caller.ts";
import { KeyboardHelp } from "./keyboard_help.tsx";
import { type PageEntry, pageOf, pages } from "./navigation.ts";
import { projects, readProjects, showProject } from "./projects.ts";
import { FIRST_PAGE, goTo, linkTo, place } from "./router.ts";
import { askToSignIn, bearer, config, signIn } from "./session.ts";
import { isHelpShown, listenToKeys, useShortcuts } from "./shortcuts.ts";
import { SignedInElsewhere, SignInPage } from "./sign_in.tsx";
import { nextTheme, theme } from "./theme.ts";

const loaded = signal<Record<string, ComponentType>>({});
const failure = signal<ApiProblem | null>(null);
const isKnown = signal(false);
/** Nothing is shown: the session has ended, and who signs in again is not known yet. */
const isConcealed = signal(false);
/** Whom the frame is for: what one has typed outlasts the end of their session, and is gone when another signs in. */
let frameOf: string | null = null;
const frames = signal(0);

export function ConsoleFrame() {
  const hasEntered = useRef(false);
  useEffect(listenToKeys, []);
  useSignalEffect(() => {
    if (signIn.value.state === "needed") isConcealed.value = true;
    else if (signIn.value.state !== "handed-back") void begin();
  });
  if (signIn.value.state === "handed-back") return <SignedInElsewhere />;
  const asked = signIn.value.state === "needed" ? signIn.value : null;
  if (!asked) hasEntered.current = true;
  return (
    <>
      {hasEntered.current && (
        <div class="entered" hidden={isConcealed.value}>
          <SignedInFrame key={frames.value} />
        </div>
      )}
      {asked && <SignInPage reason={asked.reason} isAgain={hasEntered.current} />}
    </>
  );
}

async function begin(): Promise<void> {
  try {
    await readCaller();
    await readProjects();
    failure.value = null;
    isKnown.value = true;
    showFrameOf(JSON.stringify([caller.value?.tenant, caller.value?.name, caller.value?.user]));
  } catch (error) {
    fail(asProblem(error));
  }
}

function showFrameOf(who: string): void {
  if (frameOf !== null && frameOf !== who) frames.value += 1;
  frameOf = who;
  isConcealed.value = false;
}

/** Tells why nothing is shown; where a page is behind it, it waits for another sign-in. */
function fail(problem: ApiProblem): void {
  if (signIn.value.state === "needed") return;
  if (isKnown.value && isConcealed.value) {
    askToSignIn(problem.detail);
  } else {
    failure.value = problem;
    isConcealed.value = false;
  }
}

function SignedInFrame() {
  useFeed();
  useShortcuts([
    { keys: "?", does: "Show these shortcuts", run: () => (isHelpShown.value = true) },
    { keys: "z", does: "Undo what was done last", run: undoNewest },
    { keys: "/", does: "Go to the first search field", run: focusSearch },
    ...pages.map((page) => ({
      keys: `g ${page.key}`,
      does: `Go to ${page.title}`,
      run: () => goTo(linkTo(page.name)),
    })),
  ]);
  return (
    <>
      <button class="skip" type="button" onClick={skipToPage}>
        Skip to the page
      </button>
      <div class="frame">
        <Navigation />
        <TopBar />
        <main id="main" class="main" tabIndex={-1}>
          {failure.value ? (
            <ProblemNotice problem={failure.value} retry={() => void begin()} />
          ) : (
            <CurrentPage />
          )}
        </main>
      </div>
      <Toasts />
      {isHelpShown.value && <KeyboardHelp />}
    </>
  );
}

/** The address belongs to the router, so that a button moves the focus, and no link the place. */
function skipToPage(): void {
  document.getElementById("main")?.focus();
}

function focusSearch(): void {
  document.querySelector<HTMLElement>("main input[type=search], main input[type=text]")?.focus();
}

function Navigation() {
  const open = pages.filter(mayOpen);
  const groups = (["know", "decide", "run"] as const).map((group) =>
    open.filter((page) => page.group === group),
  );
  return (
    <nav class="nav" aria-label="Pages">
      <a class="nav-brand" href={linkTo(FIRST_PAGE)}>
        <Icon name="brand" size={20} />
        <span class="nav-text">Memory Layer</span>
      </a>
      {groups
        .filter((group) => group.length > 0)
        .map((group) => (
          <div class="nav-group" key={group[0]?.group}>
            {group.map((page) => (
              <NavigationLink key={page.name} page={page} />
            ))}
          </div>
        ))}
      <p class="nav-foot">{config.value.version && `Version ${config.value.version}`}</p>
    </nav>
  );
}

function NavigationLink({ page }: { page: PageEntry }) {
  const isCurrent = place.value.page === page.name;
  return (
    <a
      class="nav-link"
      href={linkTo(page.name)}
      aria-current={isCurrent ? "page" : undefined}
      title={page.title}
    >
      <Icon name={page.icon} />
      <span class="nav-text">{page.title}</span>
    </a>
  );
}

function TopBar() {
  const who = caller.value;
  const isWaiting = isAnyUnderWay.value || !(isKnown.value || failure.value);
  return (
    <header class="top">
      <ProjectSwitcher />
      <span class="top-space" />
      <span
        class="live"
        data-on={isLive.value}
        title={isLive.value ? "Changes appear by themselves" : "No live feed"}
      >
        <span class="live-text">{isLive.value ? "live" : "not live"}</span>
      </span>
      {who && (
        <span class="top-caller" title={`${who.name}: ${who.roles.join(", ")} in ${who.tenant}`}>
          {who.user ?? who.name}
          {bearer() ? "" : " (not signed in)"}
        </span>
      )}
      <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => (isHelpShown.value = true)} />
      <ThemeButton />
      {isWaiting && <span class="loading-bar" role="progressbar" aria-label="Under way" />}
    </header>
  );
}

function ThemeButton() {
  const icons = { system: "screen", light: "sun", dark: "moon" } as const;
  return <IconButton icon={icons[theme.value]} label={`Theme: ${theme.value}`} onClick={nextTheme} />;
}

function ProjectSwitcher() {
  const current = place.value.project;
  const known = projects.value.map((one) => one.project);
  const names = current && !known.includes(current) ? [current, ...known] : known;
  if (names.length === 0) return <strong>No project yet</strong>;
  return (
    <div class="switcher">
      <label class="soft" for="project">
        Project
      </label>
      <select
        id="project"
        value={current ?? ""}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          event.currentTarget.value = current ?? ""; // until it is shown, which unsaved work may prevent
          showProject(chosen);
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function CurrentPage() {
  const { page: name, project } = place.value;
  const entry = pageOf(name);
  useEffect(() => {
    document.title = entry ? `${entry.title} · Memory Layer` : "Memory Layer";
    void loadPage(name);
  }, [name]);
  if (!entry || !mayOpenNow(entry)) return <UnknownPage />;
  if (!isKnown.value) return null;
  if (project === null) return <NoProject />;
  const Page = loaded.value[name];
  return Page ? <Page key={`${project}/${name}`} /> : null;
}

function mayOpenNow(entry: PageEntry): boolean {
  return !isKnown.value || mayOpen(entry);
}

async function loadPage(name: string): Promise<void> {
  const load = builtPages[name];
  if (!load || loaded.value[name]) return;
  try {
    const module = await load();
    loaded.value = { ...loaded.value, [name]: module.default };
  } catch (error) {
    failure.value = ApiProblem.notLoaded(name, error);
  }
}

function UnknownPage() {
  return (
    <EmptyState title="There is no such page for you">
      <p>
        <a href={linkTo(FIRST_PAGE)}>Go to the dashboard</a>
      </p>
    </EmptyState>
  );
}

function NoProject() {
  return (
    <EmptyState title="Nothing is remembered yet">
      <p>A project begins with its first memory:</p>
      <pre>mem add -p shop "A Lambda behind an HTTP API has 29 seconds to answer"</pre>
    </EmptyState>
  );
}
