// What the API answers about talk, runs and the instance itself. Typed and documented by these, not checked again when it
// is sent; `satisfies` keeps each in step with its contract.
import { z } from 'zod';
import type { AuditEntry } from '#domain/plan/views.ts';
import { RunView } from '#domain/planning/run.ts';
import { PlanningTrace } from '#domain/planning/trace-view.ts';
import type { Message } from '#domain/service.ts';
import type { Problem } from './problem.ts';
import { documented } from './registry.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.number().int();

export const AuditAnswer = documented(
  z.object({
    entries: z.array(
      z.object({
        id: whole,
        at: time,
        plan_id: text.nullable(),
        actor: text,
        actor_kind: z.enum(['person', 'model', 'system']),
        via: text,
        action: text,
        version: whole.nullable(),
        digest: text.nullable(),
        reason: text.nullable(),
        data: z.record(z.string(), z.json()).nullable(),
      }) satisfies z.ZodType<AuditEntry>,
    ),
  }),
  { id: 'Audit', description: 'Who did what, oldest first; ask again with `after` = the last id.' },
);

export const TraceAnswer = documented(PlanningTrace, {
  id: 'Trace',
  description:
    'How a run was planned: an entry a step, `path` the way through the stages by the table of planning, `problem` why the entries do not follow it. `totals.cost_usd` is what the entries say; `open_calls` never came back, or have not yet, and count towards budgets as their estimates.',
});

const MessageAnswer = documented(
  z.object({
    id: whole,
    conversation: text,
    run_id: text.nullable(),
    author: z.enum(['person', 'bot']),
    name: text,
    text,
    plan_id: text.nullable(),
    created_at: time,
  }) satisfies z.ZodType<Message>,
  {
    id: 'Message',
    description: 'A message; `plan_id` names the plan whose card belongs under it.',
  },
);

export const MessageList = documented(z.object({ messages: z.array(MessageAnswer) }), {
  id: 'MessageList',
  description: 'Messages of a conversation, oldest first; ask again with `after` = the last id.',
});

export const RunAnswer = documented(RunView, {
  id: 'Run',
  description:
    'A planning run. `running` until it is one of the others; a plan that waits for its approval is `needs_clarification` with `plan_id`; a question answered without a plan is `complete` without one.',
});

export const RunStarted = documented(z.object({ run_id: text, status_url: text }), {
  id: 'RunStarted',
  examples: [{ run_id: 'run_7c41e0', status_url: '/api/runs/run_7c41e0' }],
});

export const Said = documented(z.object({ run_id: text.nullable() }), {
  id: 'Said',
  description: 'The run the message started or continued; null where it decided about a plan.',
});

export const Readiness = documented(z.object({ ready: z.boolean(), parts: z.record(text, text) }), {
  id: 'Readiness',
  description: 'Whether requests can be served, part by part.',
});

export const ProblemAnswer = documented(
  z.looseObject({
    type: text,
    title: text,
    status: whole,
    detail: text,
    code: text,
    instance: text,
  }) satisfies z.ZodType<Omit<Problem, 'code'>>,
  {
    id: 'Problem',
    description:
      'RFC 9457. `code` is stable; `detail` is a sentence that says what to do. Further members depend on the code: `errors` (`path`, `message`), `current`, `limit_bytes`, `request_id`.',
    examples: [
      {
        type: 'urn:countersign:problem:stale_version',
        title: 'The plan has changed',
        status: 409,
        detail: 'This plan changed while you were reading: it is at version 3 now.',
        code: 'stale_version',
        instance: '/api/plans/PLAN-3f9a1c20/approve',
        current: { version: 3 },
      },
    ],
  },
);
