// A back end: one executor of a worker process, with what it can do and how much at once. Leases belong to it.
import type { Settings } from '#contracts/settings.ts';
import type { OperationSpec, ToolRegistry } from '#contracts/tool.ts';

export type Backend = {
  name: string;
  capabilities: string[];
  /** Calls under way at once. */
  concurrency: number;
  /** The same where all of them are slow and others wait. */
  mostConcurrency: number;
  /** Names of the operations it runs now; a server that comes up brings more, one that is down takes its own away. */
  operations(): string[];
  /** The same with everything that planners and checks need to know of them. */
  manifest(): OperationSpec[];
};

/** Operations of tools that answer: a server that is down keeps its names, but nobody is to wait for it here. */
function runnable(registry: Pick<ToolRegistry, 'list' | 'status'>): OperationSpec[] {
  const down = new Set(
    registry
      .status()
      .filter(({ ok }) => !ok)
      .map(({ tool }) => tool),
  );
  return registry.list().filter(({ tool }) => !down.has(tool));
}

/** The back ends that the configuration asks for; one that can do everything this process can when it asks for none. */
export function backendsOf(
  { backends, executor }: Pick<Settings, 'backends' | 'executor'>,
  registry: Pick<ToolRegistry, 'list' | 'status'>,
): Backend[] {
  const named = Object.entries(backends);
  const wanted: typeof named = named.length > 0 ? named : [['default', { capabilities: [] }]];
  return wanted.map(([name, { capabilities, concurrency, operations }]) => {
    const manifest = () =>
      runnable(registry).filter((operation) => operations?.includes(operation.name) ?? true);
    return {
      name,
      capabilities,
      concurrency: concurrency ?? executor.concurrency,
      mostConcurrency: concurrency ?? 2 * executor.concurrency,
      operations: () => manifest().map((operation) => operation.name),
      manifest,
    };
  });
}

/** What a back end offers now, as text that changes with it. */
export function offersOf({ operations }: Pick<Backend, 'operations'>): string {
  return operations().join(' ');
}
