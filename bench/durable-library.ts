// Baseline: DBOS Transact on the same database, if installed.
import type { Side } from './interleave.ts';
import type { Stage } from './stage.ts';

/** One is far slower; more were never faster. */
const workflows = [5, 10, 20];
/** Checkpoints are sequential, so fewer steps suffice. */
const mostSteps = 3000;
const connections = 20;

export const libraryMissing =
  'DBOS Transact is not installed: a development dependency, which npm ci brings';

type Library = typeof import('@dbos-inc/dbos-sdk');

async function loadLibrary(): Promise<Library | null> {
  try {
    return await import('@dbos-inc/dbos-sdk');
  } catch (error) {
    // The row says so.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      return null;
    throw error;
  }
}

/** Null if not installed. */
export async function openDurableLibrary(stage: Stage, steps: number): Promise<Side | null> {
  const library = await loadLibrary();
  if (library === null) return null;
  const { DBOS } = library;
  const size = Math.min(steps, mostSteps);
  const ignore = () => undefined;
  const fail = (entry: unknown) => stage.say(`the durable-workflow library says: ${entry}`);
  return {
    name: `${size} steps through a durable-workflow library`,
    async measure() {
      DBOS.setConfig({
        name: 'bench',
        systemDatabaseUrl: stage.url,
        systemDatabaseSchemaName: 'durable_library',
        systemDatabasePoolSize: connections,
        logger: { info: ignore, debug: ignore, warn: fail, error: fail },
      });
      const work = DBOS.registerWorkflow(
        async (count: number) => {
          for (let i = 0; i < count; i++) await DBOS.runStep(async () => null, { name: 'noop' });
        },
        { name: 'work' },
      );
      await DBOS.launch();
      try {
        const rates: [string, number][] = [];
        for (const count of workflows) {
          const each = Math.ceil(size / count);
          const began = performance.now();
          await Promise.all(Array.from({ length: count }, () => work(each)));
          const ms = performance.now() - began;
          rates.push([`durable library, ${count} workflows`, ((each * count) / ms) * 1000]);
        }
        return Object.fromEntries(rates);
      } finally {
        await DBOS.shutdown({ deregister: true });
      }
    },
  };
}
