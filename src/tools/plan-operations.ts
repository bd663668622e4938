// plan_recheck, plan_replan_patch, plan_verify_patch: a plan changes itself.
import { z } from 'zod';
import { JsonValue } from '#domain/text.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from './define-operation.ts';
import { throwIfAborted } from './failures.ts';
import { describeOutput } from './output-schema.ts';
import type { PlanPort, Verdict } from './ports.ts';

/** A change waits for running steps it affects. */
const maxWaits = 600;

const Rechecked = z
  .strictObject({
    steps: z.array(text(200, 'Id of a step.')).min(1).max(10_000).optional(),
    partition: text(200, 'All steps of this part.').optional(),
  })
  .refine(
    ({ steps, partition }) => (steps === undefined) !== (partition === undefined),
    'needs either "steps" or "partition"',
  );

const findingId = text(80, 'The finding that it is about.');

function describeVerdict({ verdict, reasons: [first = ''] }: Verdict): string {
  switch (verdict) {
    case 'applied':
      return 'The change was applied.';
    case 'awaiting_approval':
      return `The change waits for approval. ${first}`.trim();
    case 'refused':
      return `The change was refused. ${first}`.trim();
    case 'nothing':
      return first === '' ? 'There was nothing to check.' : first;
    default:
      return verdict satisfies never;
  }
}

export function createPlanOperations(plans: PlanPort): Operation[] {
  return [
    defineOperation({
      tool: 'plan',
      operation: 'recheck',
      description:
        'Read again what steps of this plan have read, and raise a finding for each that has changed since.',
      effect: 'read',
      destructive: false,
      seldom: true,
      schema: Rechecked,
      output: describeOutput(
        z.strictObject({ checked: z.int(), skipped: z.int(), changed: z.array(z.string()) }),
      ),
      async run({ steps, partition }, context) {
        throwIfAborted(context.signal);
        const found = await plans.recheck(
          {
            ...(steps === undefined ? {} : { ids: steps }),
            ...(partition === undefined ? {} : { partition }),
          },
          context,
        );
        const { checked, changed } = found;
        const some = changed.length === 0 ? 'nothing' : countOf(changed.length, 'output');
        const summary = `Checked the sources of ${countOf(checked, 'step')}; ${some} changed.`;
        return { summary, data: found };
      },
    }),
    defineOperation({
      tool: 'plan',
      operation: 'replan_patch',
      description: 'Work out a change of this plan that settles a finding. It applies nothing.',
      effect: 'idempotent',
      internal: true,
      destructive: false,
      schema: z.strictObject({
        finding: findingId,
        refused: z.array(z.string().max(2000)).max(50).optional(),
      }),
      output: describeOutput(
        z.strictObject({ patch: z.looseObject({}).nullable(), reason: z.string() }),
      ),
      async run({ finding, refused = [] }, context) {
        throwIfAborted(context.signal);
        const proposal = await plans.propose(finding, refused, context);
        return { summary: proposal.reason, data: proposal };
      },
    }),
    defineOperation({
      tool: 'plan',
      operation: 'verify_patch',
      description:
        'Check a change of this plan, apply it where it widens nothing, and else ask for an approval.',
      effect: 'idempotent',
      internal: true,
      destructive: false,
      expectedSeconds: () => maxWaits,
      schema: z.strictObject({
        finding: findingId,
        patch: z.looseObject({}).nullable(),
      }),
      output: describeOutput(
        z.strictObject({
          verdict: z.enum(['applied', 'awaiting_approval', 'refused', 'nothing']),
          patch_id: z.string().nullable(),
          reasons: z.array(z.string()),
        }),
      ),
      async run({ finding, patch }, context) {
        throwIfAborted(context.signal);
        const verdict = await plans.verify(finding, JsonValue.parse(patch), context);
        return { summary: describeVerdict(verdict), data: verdict };
      },
    }),
  ];
}
