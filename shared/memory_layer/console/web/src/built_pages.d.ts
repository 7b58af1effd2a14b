// Pages whose module exists, by name: the build reads them off the folder src/pages.

declare module "built-pages" {
  import type { ComponentType } from "preact";

  export interface PageModule {
    default: ComponentType;
  }
  export const builtPages: Record<string, (() => Promise<PageModule>) | undefined>;
}

declare module "*.css";
