// Network of nodes and links; the library is loaded when the first one is shown. What it draws is no text: a page lists
// the same nodes beside it.

import type cytoscape from "cytoscape";
import type { Core, ElementDefinition, LayoutOptions } from "cytoscape";
import { useEffect, useRef } from "preact/hooks";
import { shownTheme } from "../app/theme.ts";

export interface NetworkNode {
  readonly id: string;
  readonly label: string;
  readonly kind: "memory" | "entity";
}

export interface NetworkLink {
  readonly source: string;
  readonly target: string;
  readonly label: string;
}

/** Few nodes are not blown up to fill the window. */
const ZOOM_MAX = 1.5;

/** Nodes that are laid out by their ties. */
const FORCED_MAX = 400;

interface NetworkProps {
  nodes: readonly NetworkNode[];
  links: readonly NetworkLink[];
  onOpen: (id: string) => void;
}

export function Network({ nodes, links, onOpen }: NetworkProps) {
  const held = useRef<HTMLDivElement>(null);
  const open = useRef(onOpen);
  open.current = onOpen;
  const colours = shownTheme.value;
  useEffect(() => {
    const place = held.current;
    if (!place) return;
    let isShown = true;
    let drawn: Core | undefined;
    void import("cytoscape").then(({ default: library }) => {
      if (isShown) drawn = draw(library, place, nodes, links, (id) => open.current(id));
    });
    return () => {
      isShown = false;
      drawn?.destroy();
    };
  }, [nodes, links, colours]);
  return (
    <div class="network" ref={held} role="img" aria-label={`${nodes.length} nodes, ${links.length} links`} />
  );
}

function draw(
  library: typeof cytoscape,
  place: HTMLElement,
  nodes: readonly NetworkNode[],
  links: readonly NetworkLink[],
  open: (id: string) => void,
): Core {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const drawn = library({
    container: place,
    elements: [...nodes.map(nodeElement), ...links.map(linkElement)],
    textureOnViewport: true,
    hideEdgesOnViewport: nodes.length > 500,
    style: [
      {
        selector: "node",
        style: {
          "background-color": colour("--series-1"),
          color: colour("--text"),
          label: "data(label)",
          "font-size": 10,
          "min-zoomed-font-size": nodes.length > FORCED_MAX ? 12 : 8,
          "text-max-width": "120px",
          "text-wrap": "ellipsis",
          "text-background-color": colour("--surface"),
          "text-background-opacity": 0.8,
          "text-margin-y": -2,
          width: 16,
          height: 16,
        },
      },
      {
        selector: 'node[kind = "entity"]',
        style: {
          "background-color": colour("--series-3"),
          shape: "diamond",
          "text-valign": "bottom",
          "text-margin-y": 3,
          "text-max-width": "200px",
        },
      },
      {
        selector: "edge",
        style: { "line-color": colour("--line-strong"), width: 1, "curve-style": "haystack" },
      },
    ],
    layout: layoutOf(nodes.length),
  });
  if (drawn.zoom() > ZOOM_MAX) {
    drawn.zoom(ZOOM_MAX);
    drawn.center();
  }
  drawn.on("tap", "node", (event) => open(event.target.id()));
  return drawn;
}

/** Few nodes are laid out by their ties, which takes the square of their number; many in rings, the first innermost. */
function layoutOf(nodes: number): LayoutOptions {
  if (nodes <= FORCED_MAX) {
    return {
      name: "cose",
      animate: false,
      numIter: nodes > 150 ? 120 : 400,
      nodeDimensionsIncludeLabels: true,
      idealEdgeLength: () => 110,
      nodeRepulsion: () => 400_000,
    };
  }
  return {
    name: "concentric",
    animate: false,
    minNodeSpacing: 6,
    concentric: (node) => -Math.floor(Math.sqrt(Number(node.data("place")) / 3)),
    levelWidth: () => 1,
  };
}

function nodeElement({ id, label, kind }: NetworkNode, place: number): ElementDefinition {
  return { data: { id, label, kind, place } };
}

function linkElement({ source, target, label }: NetworkLink): ElementDefinition {
  return { data: { source, target, label } };
}
