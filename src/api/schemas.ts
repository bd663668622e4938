// Names, descriptions and pages of API responses. Shapes are the domain's own; responses aren't validated again.
import { z } from 'zod';
import { ConversationPage } from '#domain/chat/conversation-list.ts';
import { InteractionPolicy } from '#domain/people/policy.ts';
import { Artifact } from '#domain/plan/artifact.ts';
import { ShownStep } from '#domain/plan/call.ts';
import { Finding, OpenFindings } from '#domain/plan/finding.ts';
import { PlanGroups } from '#domain/plan/groups.ts';
import { Inbox, InboxPlan } from '#domain/plan/inbox.ts';
import { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import { Plan, PlanSummary, StepCounts } from '#domain/plan/plan.ts';
import { StepPreview } from '#domain/plan/preview.ts';
import {
  AuditEntry,
  Change,
  Diff,
  Overview,
  PartitionPage,
  StepChain,
  StepMatches,
  StepPage,
  VersionDiff,
} from '#domain/plan/views.ts';
import { PlanningArtifacts } from '#domain/planning/artifacts.ts';
import { DataRequest } from '#domain/planning/data-request.ts';
import { Forecast } from '#domain/planning/forecast.ts';
import { RunView } from '#domain/planning/run.ts';
import { PlanningTrace } from '#domain/planning/trace-view.ts';
import { Message, PolicyView, Simulation } from '#domain/service.ts';
import { PlanStats } from '#domain/stats.ts';
import type { Problem } from './problem.ts';
import { documented } from './registry.ts';

const text = z.string();
const nextCursor = text.nullable();

documented(StepCounts, { id: 'StepCounts', description: 'How many steps are in each status.' });
documented(OpenFindings, {
  id: 'OpenFindings',
  description: 'How many findings of each severity nobody has settled.',
});
documented(ShownStep, {
  id: 'Step',
  description: 'One step: one operation with its arguments, and how far it is.',
});
documented(Change, {
  id: 'Change',
  description: 'One change; `step_id` is null where the plan itself changed.',
});
documented(Message, {
  id: 'Message',
  description: 'A message; `plan_id` names the plan whose card belongs under it.',
});

export const PatchAnswer = documented(PatchOutcome, {
  id: 'Patch',
  description:
    'A change of a plan. While it needs an approval, `version` and `digest` are what that sends back; `widening` says why, `changes` what it does (the first 20).',
});

export const PatchList = documented(
  z.object({ patches: z.array(PatchAnswer), next_cursor: nextCursor }),
  { id: 'PatchList', description: 'A page of changes, newest first.' },
);

export const ArtifactList = documented(
  z.object({ artifacts: z.array(Artifact), next_cursor: nextCursor }),
  { id: 'ArtifactList', description: 'A page of artifacts without their content, oldest first.' },
);

export const RequestList = documented(z.object({ requests: z.array(DataRequest) }), {
  id: 'RequestList',
  description:
    'What the planner asked for while it planned, oldest first; `artifact_id` is what came.',
});

export const PlanAnswer = documented(Plan, {
  id: 'Plan',
  description:
    'A plan without its steps. `version` and `digest` are what an approval sends back; `revision` is what `diff` and `events` count in.',
});

export const PlanList = documented(
  z.object({ plans: z.array(PlanSummary), next_cursor: nextCursor }),
  {
    id: 'PlanList',
    description:
      'A page of plans, newest first; `next_cursor` is null on the last. `asked_by`: what a chat platform calls the requester, where one has said it.',
  },
);

documented(InboxPlan, {
  id: 'InboxPlan',
  description:
    'A plan as one person sees it. `waits`: what waits for them, null outside `needs_you`; `waits_since`: since when; `waits_step`: the label of the step it is about.',
});

export const InboxAnswer = documented(Inbox, {
  id: 'Inbox',
  description:
    'Plans in five groups, each in exactly one: what waits for the person first, then by status. `needs_you` begins with what has waited longest, the others with the latest activity; `total` counts all pages.',
});

export const SimulationAnswer = documented(Simulation, {
  id: 'Simulation',
  description: 'What the plan would call, and what stands in its way.',
});

export const FindingAnswer = documented(Finding, {
  id: 'Finding',
  description:
    'What was found wrong with a plan. `actions` are what can be done about it, the suggested one first; none once it is settled.',
});

export const FindingList = documented(
  z.object({ findings: z.array(FindingAnswer), next_cursor: nextCursor }),
  { id: 'FindingList', description: 'A page of findings, newest first.' },
);

export const StepList = documented(StepPage, {
  id: 'StepList',
  description: 'A page of steps in the order of the plan.',
});

export const PartitionList = documented(PartitionPage, {
  id: 'PartitionList',
  description: 'A page of partitions by name, with what their steps do.',
});

export const MatchesAnswer = documented(StepMatches, {
  id: 'StepMatches',
  description: 'How many steps say some words, and in which partitions most of them are.',
});

export const GroupsAnswer = documented(PlanGroups, {
  id: 'PlanGroups',
  description: 'A plan by groups of its steps: at most 200, the rest counted.',
});

export const ForecastAnswer = documented(Forecast, {
  id: 'Forecast',
  description: 'Which steps decide when a plan ends, and when its steps take place.',
});

export const ChainAnswer = documented(StepChain, { id: 'StepChain' });

export const PreviewsAnswer = documented(z.object({ previews: z.array(StepPreview) }), {
  id: 'StepPreviews',
});

export const OverviewAnswer = documented(Overview, {
  id: 'Overview',
  description: 'How a plan stands. Costs the same for plans of any size.',
});

export const DiffAnswer = documented(Diff, {
  id: 'Diff',
  description: 'Changes after `from`; ask again with `since` = `to` while `more`.',
});

export const VersionDiffAnswer = documented(VersionDiff, {
  id: 'VersionDiff',
  description:
    'What changed between two versions of a plan: counts, and the first 100 steps of each kind. Costs are those of planning, minutes those of the longest chain.',
});

export const PlanningAnswer = documented(PlanningArtifacts, {
  id: 'Planning',
  description:
    'What the plan was made from: the outline, the roadmap with the options that were compared, the schedule. Null where it was made without one; `version` is the one they were made for, which patches may have changed since.',
});

export const AuditAnswer = documented(z.object({ entries: z.array(AuditEntry) }), {
  id: 'Audit',
  description: 'Who did what, oldest first; ask again with `after` = the last id.',
});

export const RunAnswer = documented(RunView, {
  id: 'Run',
  description:
    'A planning run. While it is `running`, `activity` says what the planner is doing. `running` until it is one of the others; a plan that waits for its approval is `needs_clarification` with `plan_id`; a question answered without a plan is `complete` without one.',
});

export const RunStarted = documented(z.object({ run_id: text, status_url: text }), {
  id: 'RunStarted',
  examples: [{ run_id: 'run_7c41e0', status_url: '/api/runs/run_7c41e0' }],
});

export const TraceAnswer = documented(PlanningTrace, {
  id: 'Trace',
  description:
    'How a run was planned: an entry a step, `path` the transitions between stages. `totals.cost_usd` is what the entries say; `open_calls` never came back, or have not yet, and count towards budgets as their estimates.',
});

export const Said = documented(z.object({ run_id: text.nullable() }), {
  id: 'Said',
  description: 'The run the message started or continued; null where it decided about a plan.',
});

export const MessageList = documented(z.object({ messages: z.array(Message) }), {
  id: 'MessageList',
  description: 'Messages of a conversation, oldest first; ask again with `after` = the last id.',
});

export const ConversationList = documented(ConversationPage, {
  id: 'ConversationList',
  description: 'Conversations outside chat platforms, the latest first.',
});

export const PolicyAnswer = documented(
  PolicyView.extend({
    set: documented(InteractionPolicy.partial(), { description: 'What the person has set of it.' }),
  }),
  { id: 'PolicyView', description: 'How a person likes to be talked to and asked.' },
);

export const StatsAnswer = documented(PlanStats, {
  id: 'PlanStats',
  description:
    '`plans`: how many are in each status that any is in. `gaps`: what people asked for in the last `gap_days` days and no tool could do, the most frequent first, at most 10.',
});

export const Readiness = documented(z.object({ ready: z.boolean(), parts: z.record(text, text) }), {
  id: 'Readiness',
  description: 'Whether requests can be served, part by part.',
});

export const ProblemAnswer = documented(
  z.looseObject({
    type: text,
    title: text,
    status: z.int(),
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
