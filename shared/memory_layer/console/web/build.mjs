// Builds the console: TypeScript and styles into files with a digest in their names, and the page that loads them.
// node build.mjs [folder]: the folder is written anew; ../bundle where none is named.

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const PAGES = join(HERE, "src", "pages");
const TARGET = resolve(process.argv[2] ?? join(HERE, "..", "bundle"));
const DRAFT = `${TARGET}.draft`;
const ASSETS = "console";
const DOCUMENT = join(HERE, "..", "..", "..", "..", "docs", "openapi.json");

/** Choices that pages offer. */
const SHOWN = [
  ...["Category", "Dimension", "MemorySource", "MemoryStatus", "MemoryType", "Standing", "TaskType", "Tier"],
];

/** The module `built-pages`: a lazy chunk of each file of src/pages, and the pages' own styles. */
const builtPages = {
  name: "built-pages",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^built-pages$/ }, () => ({ path: "built-pages", namespace: "built-pages" }));
    esbuild.onLoad({ filter: /.*/, namespace: "built-pages" }, async () => ({
      contents: pagesModule(await readdir(PAGES)),
      resolveDir: PAGES,
    }));
  },
};

/** The module `api-choices`: the values of each choice of docs/openapi.json, by the name of its schema. */
const apiChoices = {
  name: "api-choices",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^api-choices$/ }, () => ({ path: "api-choices", namespace: "api-choices" }));
    esbuild.onLoad({ filter: /.*/, namespace: "api-choices" }, async () => ({
      contents: `export const choices = ${JSON.stringify(choicesOf(JSON.parse(await readFile(DOCUMENT, "utf8"))))};`,
    }));
  },
};

function choicesOf(document) {
  const schemas = Object.entries(document.components.schemas);
  return Object.fromEntries(SHOWN.map((name) => [name, schemas.find(([found]) => found === name)[1].enum]));
}

function pagesModule(files) {
  const styles = files.filter((file) => file.endsWith(".css")).map((file) => `import "./${file}";`);
  const loads = files
    .filter((file) => file.endsWith(".tsx"))
    .map((file) => `  ${JSON.stringify(basename(file, ".tsx"))}: () => import("./${file}"),`);
  return [...styles.sort(), "export const builtPages = {", ...loads.sort(), "};"].join("\n");
}

async function bundle() {
  const built = await build({
    absWorkingDir: HERE,
    entryPoints: { main: "src/main.tsx" },
    outdir: join(DRAFT, ASSETS),
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    metafile: true,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    plugins: [builtPages, apiChoices],
    logLevel: "warning",
  });
  return Object.entries(built.metafile.outputs);
}

async function writePage(outputs) {
  const [path, entry] = outputs.find(([, output]) => output.entryPoint === "src/main.tsx");
  const early = entry.imports
    .filter((one) => one.kind === "import-statement")
    .map((one) => basename(one.path));
  const page = (await readFile(join(HERE, "src", "index.html"), "utf8"))
    .replace("{{style}}", `${ASSETS}/${basename(entry.cssBundle)}`)
    .replace("{{script}}", `${ASSETS}/${basename(path)}`)
    .replace(
      "{{early}}",
      early.map((name) => `<link rel="modulepreload" href="${ASSETS}/${name}">`).join("\n    "),
    );
  await writeFile(join(DRAFT, "index.html"), page);
}

await rm(DRAFT, { recursive: true, force: true });
await mkdir(join(DRAFT, ASSETS), { recursive: true });
await writePage(await bundle());
await rm(TARGET, { recursive: true, force: true });
await rename(DRAFT, TARGET);
if (!existsSync(join(TARGET, "index.html"))) process.exit(1);
