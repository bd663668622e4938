// What of a plan's tools is not there at the moment: what is still starting, or being restarted, comes by itself.
import type { Catalogue } from '#contracts/tool.ts';
import type { Queryable } from '#store/database.ts';
import { readOperations } from '#store/steps.ts';

/** Whether an operation of the plan is offered by nobody, or its tool does not answer. Costs the same whatever the plan's size. */
export async function lacksTools(
  db: Queryable,
  catalogue: Catalogue,
  planId: string,
): Promise<boolean> {
  await catalogue.refresh();
  const tools = new Set<string>();
  for (const { operation } of await readOperations(db, planId)) {
    const spec = catalogue.get(operation);
    if (spec === undefined) return true;
    tools.add(spec.tool);
  }
  const states = await Promise.all([...tools].map((tool) => catalogue.check(tool)));
  return states.some(({ ok }) => !ok);
}
