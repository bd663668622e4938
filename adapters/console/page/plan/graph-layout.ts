// Lays the graph out by ELK in a worker.
import { type Drawn, type ElkNode, type Shape, toElkGraph } from './graph-shape.ts';

type Elk = { layout(graph: ElkNode): Promise<ElkNode> };

declare global {
  var ELK: (new (options: { workerFactory: () => Worker }) => Elk) | undefined;
  /** As browsers accept it; not all have it. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(url: string): string },
        ): { createScriptURL(url: string): string };
      }
    | undefined;
}

const apiUrl = '/console/lib/elk-api.js';
const workerUrl = '/console/lib/elk-worker.js';
// The page's policy lets code start this script only.
const policy = globalThis.trustedTypes?.createPolicy('countersign-graph', {
  createScriptURL: () => workerUrl,
});

let loading: Promise<Elk> | null = null;

function loadElk(): Promise<Elk> {
  loading ??= import(apiUrl).then(() => {
    if (globalThis.ELK === undefined) throw new Error('The graph layout could not be loaded.');
    const workerFactory = () => new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl);
    return new globalThis.ELK({ workerFactory });
  });
  return loading;
}

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
