// Drawing and sending one message or card, as a span of what it tells of: the planning turn, or what last moved its plan.
import type { PostRow } from '#db/chat-posts.ts';
import { readPlanCause } from '#db/plans.ts';
import { readRunCause } from '#db/runs.ts';
import { isTraced, span } from '#domain/telemetry.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { Outcome, Visit } from './visit.ts';

async function readCause({ db }: DeliveryContext, { plan_id, run_id }: PostRow) {
  if (plan_id !== null) return readPlanCause(db.query, plan_id);
  return run_id === null ? null : readRunCause(db.query, run_id);
}

export async function traceCard(
  context: DeliveryContext,
  { place: { platform } }: Visit,
  row: PostRow,
  what: 'post' | 'update',
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const attributes = {
    'countersign.platform': platform,
    'countersign.card': what,
    'countersign.message.id': row.message_id,
    'countersign.plan.id': row.plan_id ?? undefined,
    'countersign.run.id': row.run_id ?? undefined,
  };
  const parent = isTraced() ? await readCause(context, row) : null;
  const log = {
    message_id: row.message_id,
    ...(row.plan_id === null ? {} : { plan_id: row.plan_id }),
  };
  const around = { kind: 'client', parent, attributes, log } as const;
  return span('card', `${what} card ${platform}`, around, async (card) => {
    const outcome = await send();
    card.set({ 'countersign.outcome': outcome });
    return outcome;
  });
}
