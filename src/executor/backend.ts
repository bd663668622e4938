// A back end: one executor of a worker process, with what it can do and how much at once. Leases belong to it.
import type { Settings } from '#contracts/settings.ts';
import { operationName, type ToolRegistry } from '#contracts/tool.ts';
import type { Lane } from '#store/steps.ts';

export type Backend = {
  name: string;
  capabilities: string[];
  /** Calls under way at once. */
  concurrency: number;
  /** Names of the operations it runs now; a server that comes up brings more. */
  operations(): string[];
};

/** The back ends that the configuration asks for; one that can do everything this process can when it asks for none. */
export function backendsOf(
  { backends, executor }: Pick<Settings, 'backends' | 'executor'>,
  registry: Pick<ToolRegistry, 'list'>,
): Backend[] {
  const named = Object.entries(backends);
  const wanted: typeof named = named.length > 0 ? named : [['default', { capabilities: [] }]];
  return wanted.map(([name, { capabilities, concurrency, operations }]) => ({
    name,
    capabilities,
    concurrency: concurrency ?? executor.concurrency,
    operations: () =>
      registry
        .list()
        .map((operation) => operation.name)
        .filter((operation) => operations?.includes(operation) ?? true),
  }));
}

/** The lanes that a back end with these operations and capabilities can serve. */
export function lanesServed(
  lanes: Lane[],
  { operations, capabilities }: { operations: string[]; capabilities: string[] },
): Lane[] {
  const offered = new Set(operations);
  const able = new Set(capabilities);
  return lanes.filter(
    (lane) =>
      offered.has(operationName(lane.tool, lane.operation)) &&
      lane.capabilities.every((capability) => able.has(capability)),
  );
}
