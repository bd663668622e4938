// GET /api/plans/:id/card and /api/runs/:id/card: what is said about a plan or a planning session, and its Adaptive Card,
// for one reader.
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { drawWholeCard } from '#cards/expand.ts';
import { viewSession } from '#cards/session-view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { line } from '#contracts/text.ts';
import type { ConsoleOptions } from './console-options.ts';

/** What the route answers; `cards/` says everything in `view` and `adaptive_card`. */
export type CardAnswer = {
  facts: Awaited<ReturnType<ConsoleOptions['service']['card']>>;
  view: ReturnType<typeof viewPlan>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

/** The same of a run's planning session; the facts are left out, since an outline can be long. */
export type RunCardAnswer = {
  run_id: string;
  turn: number;
  digest: string;
  planning_status: Awaited<ReturnType<ConsoleOptions['service']['runCard']>>['status'];
  view: ReturnType<typeof viewSession>;
  adaptive_card: ReturnType<typeof drawWholeCard>;
};

const CardPath = z.object({ id: z.string().min(1).max(300) });
const CardQuery = z.strictObject({
  user: line(200).default('local'),
  timezone: line(100).optional(),
});

export function addCardRoute(app: FastifyInstance, { service, timezone }: ConsoleOptions): void {
  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/plans/:id/card',
    { schema: { params: CardPath, querystring: CardQuery } },
    async ({ params, query }): Promise<CardAnswer> => {
      const viewer = { user: query.user, timezone: query.timezone ?? timezone };
      const facts = await service.card(params.id, viewer);
      const view = viewPlan(facts);
      return { facts, view, adaptive_card: drawWholeCard(view) };
    },
  );

  app.get<{ Params: z.infer<typeof CardPath>; Querystring: z.infer<typeof CardQuery> }>(
    '/api/runs/:id/card',
    { schema: { params: CardPath, querystring: CardQuery } },
    async ({ params, query }): Promise<RunCardAnswer> => {
      const viewer = { user: query.user, timezone: query.timezone ?? timezone };
      const { run_id, turn, digest, status, ...rest } = await service.runCard(params.id, viewer);
      const view = viewSession({ run_id, turn, digest, status, ...rest });
      const adaptive_card = drawWholeCard(view);
      return { run_id, turn, digest, planning_status: status, view, adaptive_card };
    },
  );
}
