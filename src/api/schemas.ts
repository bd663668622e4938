// Names, descriptions and pages of API responses.
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

documented(StepCounts, { id: 'StepCounts', description: 'Number of steps by status.' });
documented(OpenFindings, {
  id: 'OpenFindings',
  description: 'Number of open findings by severity.',
});
documented(ShownStep, {
  id: 'Step',
  description: 'One step: an operation with its arguments and status.',
});
documented(Change, {
  id: 'Change',
  description: 'One change; `step_id` is null if the plan itself changed.',
});
documented(Message, {
  id: 'Message',
  description: 'A message; `plan_id` names the plan whose card belongs under it.',
});

export const PatchAnswer = documented(PatchOutcome, {
  id: 'Patch',
  description:
    'A change of a plan. Approve it with its `version` and `digest`; `widening` has the reasons, `changes` the first 20 effects.',
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
  description: "The planner's data requests, oldest first; `artifact_id` is the result.",
});

export const PlanAnswer = documented(Plan, {
  id: 'Plan',
  description:
    'A plan without its steps. Send `version` and `digest` with an approval; `diff` and `events` count by `revision`.',
});

export const PlanList = documented(
  z.object({ plans: z.array(PlanSummary), next_cursor: nextCursor }),
  {
    id: 'PlanList',
    description:
      "A page of plans, newest first; `next_cursor` is null on the last. `asked_by`: the requester's display name, if known.",
  },
);

documented(InboxPlan, {
  id: 'InboxPlan',
  description:
    'A plan as one person sees it. `waits`: what they have to do, null outside `needs_you`; `waits_since`: since when; `waits_step`: the label of the step.',
});

export const InboxAnswer = documented(Inbox, {
  id: 'Inbox',
  description:
    'Each plan is in exactly one of five groups. `needs_you` is sorted by longest wait, the others by latest activity; `total` counts all pages.',
});

export const SimulationAnswer = documented(Simulation, {
  id: 'Simulation',
  description: 'What the plan would call, and what blocks it.',
});

export const FindingAnswer = documented(Finding, {
  id: 'Finding',
  description:
    'A problem with a plan. `actions` can settle it, the suggested one first; empty once it is settled.',
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
  description: 'Number of steps that match, and the partitions with most of them.',
});

export const GroupsAnswer = documented(PlanGroups, {
  id: 'PlanGroups',
  description: "A plan's steps in up to 200 groups; the rest are counted.",
});

export const ForecastAnswer = documented(Forecast, {
  id: 'Forecast',
  description: 'The critical path, and the expected time of each step.',
});

export const ChainAnswer = documented(StepChain, { id: 'StepChain' });

export const PreviewsAnswer = documented(z.object({ previews: z.array(StepPreview) }), {
  id: 'StepPreviews',
});

export const OverviewAnswer = documented(Overview, {
  id: 'Overview',
  description: 'Counts by status; equally fast for plans of any size.',
});

export const DiffAnswer = documented(Diff, {
  id: 'Diff',
  description: 'Changes after `from`; ask again with `since` = `to` while `more`.',
});

export const VersionDiffAnswer = documented(VersionDiff, {
  id: 'VersionDiff',
  description:
    'Differences between two versions: counts, and the first 100 steps of each kind. Costs are of planning; minutes are of the critical path.',
});

export const PlanningAnswer = documented(PlanningArtifacts, {
  id: 'Planning',
  description:
    'The outline, the roadmap with the options compared, and the schedule, each null if there was none. `version` is the one they were made for; patches may have changed it since.',
});

export const AuditAnswer = documented(z.object({ entries: z.array(AuditEntry) }), {
  id: 'Audit',
  description: 'Who did what, oldest first; ask again with `after` = the last id.',
});

export const RunAnswer = documented(RunView, {
  id: 'Run',
  description:
    'A planning run. While `running`, `activity` says what the planner is doing. A plan that waits for approval is `needs_clarification` with `plan_id`; a question answered without a plan is `complete` without one.',
});

export const RunStarted = documented(z.object({ run_id: text, status_url: text }), {
  id: 'RunStarted',
  examples: [{ run_id: 'run_7c41e0', status_url: '/api/runs/run_7c41e0' }],
});

export const TraceAnswer = documented(PlanningTrace, {
  id: 'Trace',
  description:
    'How a run was planned, entry by entry; `path` has the transitions between stages. `totals.cost_usd` sums the entries; `open_calls` have not returned and count towards budgets as their estimates.',
});

export const RunReference = documented(z.object({ run_id: text.nullable() }), {
  id: 'Said',
  description: 'The run that the message started or continued; null if it decided about a plan.',
});

export const MessageList = documented(z.object({ messages: z.array(Message) }), {
  id: 'MessageList',
  description: 'Messages of a conversation, oldest first; ask again with `after` = the last id.',
});

export const ConversationList = documented(ConversationPage, {
  id: 'ConversationList',
  description: 'Conversations outside chat platforms, latest first.',
});

export const PolicyAnswer = documented(
  PolicyView.extend({
    set: documented(InteractionPolicy.partial(), {
      description: 'The values that the person has set.',
    }),
  }),
  { id: 'PolicyView', description: "A person's preferences." },
);

export const StatsAnswer = documented(PlanStats, {
  id: 'PlanStats',
  description:
    '`plans`: counts by status. `gaps`: up to 10 requests of the last `gap_days` days that no tool could do, most frequent first.',
});

export const Readiness = documented(z.object({ ready: z.boolean(), parts: z.record(text, text) }), {
  id: 'Readiness',
  description: 'Whether requests can be served, by component.',
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
      'RFC 9457. `code` is stable; `detail` says what to do. Other members depend on the code: `errors` (`path`, `message`), `current`, `limit_bytes`, `request_id`.',
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
