// Which tools of a plan are missing right now. One that is starting or restarting comes back by itself.
import { setTimeout as pause } from 'node:timers/promises';
import { readManifests } from '#db/backends.ts';
import type { Queryable } from '#db/database.ts';
import { readOperations } from '#db/steps.ts';
import type { Catalogue } from '#domain/tool.ts';

/** Milliseconds that a tool is waited for: it is asked again by the next round, and others' plans wait behind this one. */
const patienceMs = 2000;

/**
 * Whether an operation of the plan is offered by nobody, or its tool does not answer in time. Reads what
 * every step calls.
 */
export async function lacksTools(
  db: Queryable,
  catalogue: Catalogue,
  planId: string,
): Promise<boolean> {
  await catalogue.refresh(() => readManifests(db));
  const tools = new Set<string>();
  for (const { operation } of await readOperations(db, planId)) {
    const spec = catalogue.get(operation);
    if (spec === undefined) return true;
    tools.add(spec.tool);
  }
  const late = new AbortController();
  const answers = Promise.all([...tools].map((tool) => catalogue.check(tool)));
  const states = await Promise.race([
    answers,
    pause(patienceMs, null, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  // Who answers later is heard by nobody.
  answers.catch(() => {});
  return states === null || states.some(({ ok }) => !ok);
}
