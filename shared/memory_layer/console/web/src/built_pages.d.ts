// Pages whose module exists, by name: the build reads them off the folder src/pages.

declare module "built-pages" {
  import type { ComponentType } from "preact";

  export interface PageModule {
    default: ComponentType;
  }
  export const builtPages: Record<string, (() => Promise<PageModule>) | undefined>;
}

// Values of the choices of the API: the build reads them off docs/openapi.json.

declare module "api-choices" {
  type Schemas = import("./api/client.ts").Schemas;
  type Named =
    | "Category"
    | "Dimension"
    | "MemorySource"
    | "MemoryStatus"
    | "MemoryType"
    | "Standing"
    | "TaskType"
    | "Tier";

  export const choices: { readonly [Name in Named]: readonly Schemas[Name][] };
}

declare module "*.css";
