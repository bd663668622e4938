// Why steps can't run: no back end, or a busy pool.
import { type Offer, readBackends } from '#db/backends.ts';
import type { Queryable } from '#db/database.ts';
import { readSignInProblems } from '#db/people/mcp-sign-ins.ts';
import { countSteps, type LongWait, readLongWaits } from '#db/sql/blocked.ts';
import { readClaimableLanes } from '#db/sql/lanes.ts';
import { type ExcessStep, readExcessSteps } from '#db/sql/resources.ts';
import { type Lane, readLanes } from '#db/steps/steps.ts';
import type { Blockage } from '#domain/plan/blockage.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { operationName } from '#domain/tool.ts';
import { listOf } from '#domain/words.ts';
import { serves } from '../content/serve-lanes.ts';

/** Then a step waiting for a pool is reported. */
const longWaitSeconds = 10;

type Lack = Pick<Blockage, 'kind' | 'needs' | 'reason'>;

function findLack(
  lane: Pick<Lane, 'tool' | 'operation' | 'capabilities'>,
  offers: Offer[],
): Lack | null {
  if (offers.some((offer) => serves(offer, lane))) return null;
  const name = operationName(lane.tool, lane.operation);
  if (offers.length === 0) {
    return {
      kind: 'worker',
      needs: [name],
      reason: 'no worker is running. Start one: `countersign worker`.',
    };
  }
  const able = offers.filter(({ operations }) => operations.includes(name));
  if (able.length === 0) {
    return {
      kind: 'worker',
      needs: [name],
      reason: `no worker offers ${name}. Start a worker that has the tool ${lane.tool}; \`countersign doctor\` lists what there is.`,
    };
  }
  const missing = lane.capabilities.filter(
    (wanted) => !able.some(({ capabilities }) => capabilities.includes(wanted)),
  );
  const needs = missing.length > 0 ? missing : lane.capabilities;
  const what = needs.length === 1 ? 'the capability' : 'the capabilities';
  const together = missing.length > 0 ? '' : ' together';
  const it = needs.length === 1 ? 'it' : 'them';
  return {
    kind: 'worker',
    needs,
    reason: `no worker offers ${what} ${listOf(needs)}${together}. Start a worker whose countersign.json lists ${it} under backends.`,
  };
}

/** An expired sign-in: the remedy is to sign in. */
function withSignIn(
  lack: Lack | null,
  { tool }: Pick<Lane, 'tool'>,
  problems: Map<string, string>,
): Lack | null {
  const problem = problems.get(tool);
  if (lack === null || problem === undefined) return lack;
  const how = `Open Settings → Tools in the console and press Connect, or run \`countersign mcp login ${tool}\``;
  return {
    ...lack,
    reason: `the MCP server ${tool} needs someone to sign in. ${problem} ${how}.`,
  };
}

/** Need more than the pool's lowered capacity. */
function describeExcess(steps: ExcessStep[]): Blockage[] {
  return [...Map.groupBy(steps, ({ pool }) => pool)].map(([pool, own]) => {
    const amount = Math.max(...own.map((step) => step.amount));
    return {
      kind: 'resource',
      needs: [pool],
      step_ids: own.slice(0, 3).map(({ step_id }) => step_id),
      count: own.length,
      reason: `for ${amount} of ${pool}, which has only ${own[0]?.limit ?? 0}. Raise resourcePools.${pool} in countersign.json.`,
    };
  });
}

function describeWait({ step_id, pool, amount, in_use, limit, holders }: LongWait): Blockage {
  const [first, ...others] = holders;
  const more = others.length === 0 ? '' : ' and others';
  const held = first === undefined ? '' : ` by ${first}${more}`;
  return {
    kind: 'resource',
    step_ids: [step_id],
    count: 1,
    needs: [pool],
    reason: `for ${amount} of ${pool}; ${in_use} of ${limit} are in use${held}.`,
  };
}

const beforeStart: Plan['status'][] = ['proposed', 'needs_review', 'approved'];

/** `ready`: number of ready steps in a running plan; 0 looks nothing up. Cheap while everything is served. */
export async function findBlocked(
  db: Queryable,
  plan: { id: string; status: Plan['status']; paused: boolean; ready: number },
): Promise<Blockage[]> {
  const waiting = beforeStart.includes(plan.status);
  const underWay = (plan.status === 'executing' || plan.status === 'stalled') && !plan.paused;
  if (!waiting && !(underWay && plan.ready > 0)) return [];
  const lanes = waiting ? await readLanes(db, plan.id) : await readClaimableLanes(db, plan.id);
  if (lanes.length === 0) return [];
  const offers = await readBackends(db);
  const pooled = lanes.filter(({ pools }) => pools.length > 0).map(({ lane }) => lane);
  const problems = await readSignInProblems(db);
  const byReason = new Map<string, Lack & { lanes: number[] }>();
  for (const lane of lanes) {
    const lack = withSignIn(findLack(lane, offers), lane, problems);
    if (lack === null) continue;
    const same = byReason.get(lack.reason);
    if (same === undefined) byReason.set(lack.reason, { ...lack, lanes: [lane.lane] });
    else same.lanes.push(lane.lane);
  }
  const blocked: Blockage[] = [];
  for (const { lanes: without, ...lack } of byReason.values()) {
    const counted = await countSteps(db, plan.id, without, underWay);
    // May have been claimed between the reads.
    if (counted.count > 0) blocked.push({ ...lack, ...counted });
  }
  if (pooled.length === 0) return blocked;
  blocked.push(...describeExcess(await readExcessSteps(db, plan.id, pooled, underWay)));
  if (!underWay) return blocked;
  return [...blocked, ...(await readLongWaits(db, plan.id, longWaitSeconds)).map(describeWait)];
}
