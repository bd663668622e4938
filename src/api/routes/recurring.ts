// A person's reminders and recurring steps.
import { z } from 'zod';
import { Recurring, RecurringChange, RecurringOutcome } from '#domain/plan/recurring.ts';
import { line } from '#domain/text.ts';
import { actorOf, viewerOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { ImportQuery } from '../queries.ts';
import { documented } from '../registry.ts';

const route = routesOf('plans');

const Entry = documented(Recurring, {
  id: 'Recurring',
  description: 'A reminder, or recurring steps of a running plan, with its next two times.',
});
const Entries = documented(z.object({ recurring: z.array(Entry) }), {
  id: 'RecurringList',
  description: 'Sorted by next occurrence.',
});
const Body = documented(
  z.strictObject({ id: line(200), change: RecurringChange, user: ImportQuery.shape.user }),
  {
    id: 'RecurringToChange',
    description:
      '`skip` skips the next occurrence, `end` cancels all of them; `change` takes `when` (`every Tuesday at 9:00`), `text`, or both.',
    examples: [{ id: 'REM-3f9a1c2055e0aa17', change: { action: 'skip' } }],
  },
);
const Outcome = documented(RecurringOutcome, {
  id: 'RecurringOutcome',
  description:
    'The entry, or null if it has ended; `waits`: the plan version that needs an approval first.',
});

export const recurringRoutes: Routes = async (app) => {
  app.get(
    '/api/recurring',
    route('viewer', 'list', 'listRecurring', 'List reminders and recurring steps', {
      querystring: ImportQuery,
      response: { 200: json('The entries.', Entries) },
    }),
    async (request) => ({
      recurring: await request.service.listRecurring({
        user: viewerOf(request, request.query.user),
      }),
    }),
  );

  app.post(
    '/api/recurring',
    route(
      'requester',
      'list',
      'changeRecurring',
      'Skip, change or end a reminder or recurring step',
      {
        body: Body,
        response: { 200: json('What became of it.', Outcome) },
        problems: [
          'not_found',
          'not_allowed',
          'already_decided',
          'invalid_transition',
          'patch_conflict',
        ],
      },
    ),
    async (request, reply) =>
      answerPost(request, reply, (joined) => {
        const { id, change, user: given } = request.body;
        const actor = actorOf(request, given);
        return joined.changeRecurring(id, change, { user: actor.id }, actor);
      }),
  );
};
