// Where each step stands in the graph: layered layout by ELK, in a worker, kept until the shape of the plan changes.
import { type Drawn, type ElkNode, type Shape, toElkGraph } from './graph-shape.ts';

type Elk = { layout(graph: ElkNode): Promise<ElkNode> };

declare global {
  var ELK: (new (options: { workerUrl: string }) => Elk) | undefined;
}

let loading: Promise<Elk> | null = null;

/** The layout engine, loaded when the first graph is drawn. */
function loadElk(): Promise<Elk> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = '/console/lib/elk-api.js';
    script.onload = () => {
      if (globalThis.ELK === undefined) reject(new Error('The graph layout could not be loaded.'));
      else resolve(new globalThis.ELK({ workerUrl: '/console/lib/elk-worker.js' }));
    };
    script.onerror = () => reject(new Error('The graph layout could not be loaded.'));
    document.head.append(script);
  });
  return loading;
}

/** Lays boxes and arrows out as a layered graph, top to bottom. */
export async function layOutGraph(shape: Shape): Promise<Drawn> {
  const elk = await loadElk();
  const { width = 0, height = 0, children = [], edges = [] } = await elk.layout(toElkGraph(shape));
  return {
    width,
    height,
    nodes: new Map(children.map(({ id, x = 0, y = 0 }) => [id.slice(2), { x, y }])),
    edges: edges.flatMap(({ id, sections = [] }) =>
      sections.map(({ startPoint, bendPoints = [], endPoint }) => ({
        id,
        points: [startPoint, ...bendPoints, endPoint],
      })),
    ),
  };
}
