// Request bodies.
import { z } from 'zod';
import { AnyPress } from '#domain/chat/press.ts';
import { settledStatuses } from '#domain/plan/expected-step.ts';
import { FindingAction, NewFinding } from '#domain/plan/finding.ts';
import { WantedModes } from '#domain/plan/modes.ts';
import { PlanPatch } from '#domain/plan/patch.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import { RunRequest } from '#domain/planning/run.ts';
import { line, longestMessage, StorableText } from '#domain/text.ts';
import { documented } from './registry.ts';

export const user = documented(line(200), {
  description:
    'The person who acts, without sign-in; default `local`. Signed-in people can only name themselves.',
}).exactOptional();
const version = documented(z.number().int().min(1), {
  description: 'The version the decision is about.',
});
const feedback = StorableText.max(longestMessage).exactOptional();

export const RunBody = documented(RunRequest, {
  id: 'RunRequest',
  examples: [{ text: 'Create notes/standup.md saying "Standup at 9:30"' }],
});

export const TalkBody = documented(
  z.strictObject({
    text: line(longestMessage),
    user,
    version: version.exactOptional(),
    digest: z.string().min(1).max(200).exactOptional(),
    turn: documented(z.number().int().min(1), {
      description: 'The turn of the run that was read.',
    }).exactOptional(),
    except: documented(z.array(line(200)).min(1).max(1_000_000), {
      description: 'With `approve`: all but these steps.',
    }).exactOptional(),
    ...WantedModes.shape,
  }),
  {
    id: 'Talk',
    description:
      'An answer, or a decision: `approve`, `reject`, `propose changes: …`, `undo`, `cancel`, `status`. Send decisions with what you read: the `version` and `digest` of the plan, or the `turn` and `digest` of what a run shows. Without them a decision counts only if there is a single version you could have read; otherwise it is refused with `current` (409).',
    examples: [
      { text: 'propose changes: write to drafts/ instead' },
      { text: 'approve', version: 2, digest: '9f86d081884c7d65' },
    ],
  },
);

/** Latest passed start that was shown. */
const passed = z.iso.datetime({ offset: true }).exactOptional();

const shown = {
  digest: z.string().min(1).max(200),
  turn: documented(z.number().int().min(1), {
    description: 'The turn that you read. Optional: the digest identifies it.',
  }).exactOptional(),
  user,
};

export const RunApprovalBody = documented(z.strictObject({ ...shown, passed }), {
  id: 'RunApproval',
  description:
    'The digest of what the run shows (`GET /api/runs/{id}/card`), or of its plan. `passed`: as in the approval of a plan.',
});

export const RunDecisionBody = documented(z.strictObject({ ...shown, feedback }), {
  id: 'RunDecision',
});

export const RunStopBody = documented(z.strictObject({ turn: shown.turn, user }), {
  id: 'RunStop',
  description: 'The turn that you read. Default: the one being planned.',
});

export const ProposeBody = documented(
  PlanDraft.extend({ user, conversation: line(300).exactOptional() }),
  {
    id: 'PlanProposal',
    examples: [
      {
        title: 'Write the standup note',
        steps: [
          {
            id: '1',
            description: 'Create notes/standup.md',
            tool: 'workspace',
            operation: 'write',
            args: { path: 'notes/standup.md', content: 'Standup at 9:30' },
          },
        ],
      },
    ],
  },
);

const steps = z.array(line(200)).min(1).max(1_000_000);

const comments = documented(
  z
    .array(z.strictObject({ step_id: line(200), text: StorableText.min(1).max(4000) }))
    .min(1)
    .max(200),
  { description: 'Changes to single steps.' },
).exactOptional();

const FieldValue = z.union([StorableText.max(20_000), z.number(), z.boolean(), z.null()]);

export const ApproveBody = documented(
  z.strictObject({
    version,
    digest: z.string().min(1).max(200),
    user,
    steps: steps.exactOptional(),
    except: steps.exactOptional(),
    passed,
  }),
  {
    id: 'Approval',
    description:
      'Version and digest of the plan you read. `steps`: approve only these; `except`: all but these. The approved part must include all it depends on. `passed`, from a `times_passed` answer, starts steps at once whose time has passed.',
  },
);

export const PressBody = documented(
  z
    .strictObject({
      button: AnyPress,
      text: StorableText.max(20_000).exactOptional(),
      fields: z.record(line(60), FieldValue).exactOptional(),
      steps: steps.exactOptional(),
      except: steps.exactOptional(),
      comments,
      user,
    })
    .refine(({ steps, except }) => steps === undefined || except === undefined, {
      message: 'give steps or except, not both',
    }),
  {
    id: 'Press',
    description:
      'A button of a card, with what was entered: `text`, form values in `fields`, for an approval `steps` (only these) or `except` (all but these), and for proposed changes `comments` on single steps.',
    examples: [
      {
        button: { action: 'approve', plan_id: 'PLAN-3f9a2c41', version: 1, digest: '9f2c…' },
        except: ['3'],
      },
    ],
  },
);

export const DecisionBody = documented(z.strictObject({ version, feedback, user }), {
  id: 'Decision',
});

export const ChangeRequestBody = documented(z.strictObject({ version, feedback, comments, user }), {
  id: 'Wish',
  description:
    '`feedback` on the plan as a whole, `comments` on single steps, or both. Other steps stay as they are.',
  examples: [
    {
      version: 1,
      comments: [{ step_id: '2', text: 'call it c.md instead' }],
      feedback: 'The rest is fine.',
    },
  ],
});

export const RetryBody = documented(
  z.strictObject({
    version,
    feedback,
    ended_at: documented(z.iso.datetime(), {
      description:
        '`execution_ended_at` of the plan you read; refused as `already_decided` if it has run again since.',
    }).exactOptional(),
    user,
  }),
  { id: 'RetryRequest' },
);

const ExpectedStep = documented(
  z.strictObject({ attempt: z.number().int().min(0), status: z.enum(settledStatuses) }),
  { id: 'LookedAt' },
);

export const ResumeBody = documented(
  z.strictObject({
    version,
    steps: z
      .record(line(200), z.enum(['retry', 'done', 'failed', 'skip', 'take_over']))
      .exactOptional(),
    answer: line(20_000).exactOptional(),
    answers: z
      .record(line(200), z.union([line(20_000), z.record(line(60), FieldValue)]))
      .exactOptional(),
    about: z.record(line(200), ExpectedStep).exactOptional(),
    user,
  }),
  {
    id: 'Settlement',
    description:
      "Results of steps that have an unknown outcome or wait for a person, by step ID. `answer` is text for all of them; `answers` has one each: text, or form values by field. If a task can't be done, send `failed` with the reason. A step with an assignee is answered by them, or by the requester or an approver after `take_over`, which is recorded and shown. `about`: `attempt` and `status` of each step as you read it; if it has changed since, the answer is refused as `already_decided`. Confirming final values (`output.confirm`) requires `about`.",
    examples: [
      { version: 1, steps: { '3': 'done' }, answers: { '3': { amount: 12.5, room: 'Blue' } } },
      { version: 1, steps: { '4': 'retry' }, about: { '4': { attempt: 2, status: 'unknown' } } },
    ],
  },
);

export const PatchBody = documented(PlanPatch.extend({ user }), {
  id: 'PlanPatch',
  description:
    'Applied completely or not at all. `base_revision` is the revision you read: steps that changed or began since are conflicts.',
  examples: [
    { base_revision: 12, operations: [{ op: 'remove_steps', steps: { partition: 'staging' } }] },
  ],
});

export const FindingBody = documented(
  NewFinding.extend({
    key: documented(line(200), {
      description: 'Identifies the problem: reporting it again under the same key has no effect.',
    }).exactOptional(),
    user,
  }),
  {
    id: 'NewFinding',
    description:
      'Concerns one step, all steps of a partition or, without either, the whole plan; then nothing becomes stale.',
    examples: [
      {
        severity: 'ERROR',
        category: 'source_changed',
        message: 'orders.csv has 12 new rows.',
        step_id: '1',
        evidence: [{ text: 'modified at 09:12' }],
      },
    ],
  },
);

export const FindingActionBody = documented(z.strictObject({ action: FindingAction, user }), {
  id: 'FindingDecision',
});

export const SimulateBody = documented(
  z.strictObject({ version: version.exactOptional(), feedback, user }).nullish(),
  { id: 'SimulationRequest' },
);
