// Where the worlds of a graph stand. Breadth-first depth gives the layers, so no library is needed: what remains
// is to order each layer so that few edges cross, by the mean place of each world's neighbours.

export interface Node {
  depth: number;
  looks: string[];
  states: import("../viewer/run").Json[];
  flight: string[];
  start?: boolean;
  violated?: [string, string];
}

export type Edge = [from: number, to: number, step: string, fair: boolean];

export interface Graph {
  header: string;
  nodes: Node[];
  edges: Edge[];
}

export interface Place {
  x: number;
  y: number;
}

export const nodeGap = 46;
export const layerGap = 92;
const sweeps = 8;
const widestLayer = 24; // a wider layer is broken into several rows

function mean(places: number[]): number | undefined {
  return places.length === 0 ? undefined : places.reduce((sum, one) => sum + one, 0) / places.length;
}

function layersOf(graph: Graph): number[][] {
  const layers: number[][] = [];
  graph.nodes.forEach((node, index) => (layers[node.depth] ??= []).push(index));
  return layers;
}

function order(graph: Graph, layers: number[][]): void {
  const above = graph.nodes.map((): number[] => []);
  const below = graph.nodes.map((): number[] => []);
  for (const [from, to] of graph.edges) {
    const distance = (graph.nodes[to] as Node).depth - (graph.nodes[from] as Node).depth;
    if (distance === 1) {
      (above[to] as number[]).push(from);
      (below[from] as number[]).push(to);
    }
  }
  // The place of a world within its layer, from -1/2 to 1/2.
  const place = graph.nodes.map(() => 0);
  const settle = (layer: number[]): void =>
    layer.forEach((node, at) => (place[node] = (at + 0.5) / layer.length - 0.5));
  layers.forEach(settle);
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wanted = new Map(
        layer.map((node) => {
          const neighbours = (down ? above[node] : below[node]) as number[];
          return [node, mean(neighbours.map((one) => place[one] as number)) ?? (place[node] as number)];
        }),
      );
      layer.sort((a, b) => (wanted.get(a) as number) - (wanted.get(b) as number));
      settle(layer);
    }
  }
}

// The places, and the size of the whole.
export function layOut(graph: Graph): { places: Place[]; width: number; height: number } {
  const layers = layersOf(graph);
  order(graph, layers);
  const widest = Math.min(widestLayer, Math.max(...layers.map((layer) => layer.length)));
  const width = (widest + 1) * nodeGap;
  const places: Place[] = graph.nodes.map(() => ({ x: 0, y: 0 }));
  let y = layerGap / 2;
  for (const layer of layers) {
    const rows = Math.ceil(layer.length / widestLayer);
    layer.forEach((node, at) => {
      const row = at % rows; // neighbours in the order stay neighbours in the picture
      const column = Math.floor(at / rows);
      const columns = Math.ceil((layer.length - row) / rows);
      const x = width / 2 + (column - (columns - 1) / 2) * nodeGap;
      places[node] = { x, y: y + row * nodeGap };
    });
    y += layerGap + (rows - 1) * nodeGap;
  }
  return { places, width, height: y };
}

// A shortest way from a start: the edges by which the search found each world.
export function wayTo(graph: Graph, target: number): number[] {
  const cameBy = new Map<number, number>();
  graph.edges.forEach(([from, to], index) => {
    const deeper = (graph.nodes[to] as Node).depth === (graph.nodes[from] as Node).depth + 1;
    if (deeper && !cameBy.has(to)) cameBy.set(to, index);
  });
  const way: number[] = [];
  for (let here = target; (graph.nodes[here] as Node).depth > 0; ) {
    const edge = cameBy.get(here);
    if (edge === undefined) break;
    way.unshift(edge);
    here = (graph.edges[edge] as Edge)[0];
  }
  return way;
}
