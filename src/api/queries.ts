// Query parameters, strictly parsed.
import { z } from 'zod';
import { FindingStatus } from '#domain/plan/finding.ts';
import { GroupBy } from '#domain/plan/groups.ts';
import { InboxGroup } from '#domain/plan/inbox.ts';
import { PlanStatus, StepStatus } from '#domain/plan/plan.ts';
import { line } from '#domain/text.ts';
import { documented } from './registry.ts';

import { user } from './requests.ts';

function readNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

export function number(least: number, most: number) {
  return z.preprocess(
    readNumber,
    z.number(`must be a whole number from ${least} to ${most}`).int().min(least).max(most),
  );
}

/** `a,b`, repeated, or both. */
function readList(value: unknown): unknown {
  if (value === undefined) return undefined;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one): unknown[] => (typeof one === 'string' ? one.split(',') : [one]));
}

function list<T extends z.ZodType>(item: T, description: string) {
  return documented(z.preprocess(readList, z.array(item).min(1).max(1000)), {
    description: `${description} Comma separated, or repeated.`,
  }).exactOptional();
}

const limit = documented(number(1, 1000).default(100), {
  description: 'Page size; default 100.',
});
const cursor = documented(
  z
    .string()
    .max(2000)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be a next_cursor of an earlier page'),
  { description: '`next_cursor` of the previous page.' },
).exactOptional();
const place = number(0, Number.MAX_SAFE_INTEGER);

export const PlansQuery = z.strictObject({
  status: list(PlanStatus, 'Only plans in these statuses.'),
  user: documented(line(200), {
    description: 'Only plans requested by this person.',
  }).exactOptional(),
  conversation: documented(line(300), {
    description: 'Only plans of this conversation.',
  }).exactOptional(),
  cursor,
  limit,
});

export const InboxQuery = z
  .strictObject({
    user: documented(line(200), {
      description: 'Person; default: you.',
    }).exactOptional(),
    words: documented(line(200), {
      description: 'Only plans with each of these words in their title, summary, id or requester.',
    }).exactOptional(),
    person: documented(line(200), {
      description:
        'Only plans that this person requested, may approve, has approved or has a task in: a name, address or display name, or `me`.',
    }).exactOptional(),
    tool: documented(line(200), {
      description: 'Only plans that use this tool or operation.',
    }).exactOptional(),
    group: documented(InboxGroup, {
      description: 'Only this group; default: the first page of all five.',
    }).exactOptional(),
    cursor,
    limit: documented(number(1, 100).default(20), {
      description: 'Plans per group; default 20.',
    }),
  })
  .refine(({ group, cursor }) => cursor === undefined || group !== undefined, {
    path: ['cursor'],
    message: 'needs the group it is a page of',
  });

export const ConversationsQuery = z.strictObject({
  mine: documented(z.stringbool().default(false), {
    description:
      'Only conversations with requests of yours. Always true for non-admins. Admins also see that other conversations exist, but no text.',
  }),
  user: documented(line(200), {
    description: 'Only conversations with requests from this person, including linked accounts.',
  }).exactOptional(),
  cursor,
  limit: documented(number(1, 100).default(20), {
    description: 'Page size; default 20.',
  }),
});

export const StepsQuery = z
  .strictObject({
    ids: list(line(200), 'Exactly these steps.'),
    status: list(StepStatus, 'Only steps in these statuses.'),
    partition: line(200).exactOptional(),
    unpartitioned: documented(z.stringbool().pipe(z.literal(true)), {
      description: 'true: only steps without a partition.',
    }).exactOptional(),
    operation: documented(line(200), {
      description: 'Only steps that call this operation, such as `workspace_write`.',
    }).exactOptional(),
    stage: documented(number(1, 1_000_000), {
      description:
        "Only steps of this stage: 1 waits for nothing, 2 for a step of 1. Can't be combined with other filters.",
    }).exactOptional(),
    tag: line(200).exactOptional(),
    words: documented(line(200), {
      description:
        'Only steps with all of these words in their ID, description, operation, partition or arguments; or the step with this number.',
    }).exactOptional(),
    order: documented(z.enum(['position', 'review']), {
      description: 'review: guarded, destructive, outgoing and changing calls first, then reads.',
    }).exactOptional(),
    cursor,
    limit,
  })
  .refine(
    ({ ids, limit: _, ...rest }) =>
      ids === undefined || Object.values(rest).every((one) => one === undefined),
    { path: ['ids'], message: 'cannot be combined with other conditions' },
  )
  .refine(
    ({ order, limit: _, cursor: __, ...rest }) =>
      order !== 'review' || Object.values(rest).every((one) => one === undefined),
    { path: ['order'], message: 'review cannot be combined with other conditions' },
  )
  .refine(
    ({ stage, limit: _, cursor: __, ...rest }) =>
      stage === undefined || Object.values(rest).every((one) => one === undefined),
    { path: ['stage'], message: 'cannot be combined with other conditions' },
  );

export const MatchesQuery = z.strictObject({ words: line(200) });

export const GroupsQuery = z.strictObject({
  by: documented(GroupBy, {
    description:
      'How to group steps. Default: by partition if there are several, else by operation, else by stage.',
  }).exactOptional(),
  times: documented(z.stringbool().default(false), {
    description: 'Include the expected start and end of each group.',
  }),
});

export const ForecastQuery = z.strictObject({
  ids: list(line(200), 'Steps to return times for.'),
});

export const PreviewsQuery = z.strictObject({
  ids: documented(z.preprocess(readList, z.array(line(200)).min(1).max(100)), {
    description: 'Up to 100 step IDs. Comma separated, or repeated.',
  }),
});

export const PartitionsQuery = z.strictObject({ cursor, limit });

export const PatchesQuery = z.strictObject({ cursor, limit });

export const FindingsQuery = z.strictObject({
  status: list(FindingStatus, 'Only findings in these statuses.'),
  cursor,
  limit,
});

export const SinceQuery = z.strictObject({
  since: documented(place.default(0), { description: 'The last revision that you have.' }),
  limit,
  compact: documented(z.stringbool().default(false), {
    description: 'Only the last change of each step.',
  }),
});

export const AfterQuery = z.strictObject({
  after: documented(place, { description: 'The last ID that you have.' }).exactOptional(),
  limit,
});

export const StreamQuery = z.strictObject({
  since: documented(place, {
    description:
      'Where to continue, like `Last-Event-ID`, which takes precedence. 0: from the beginning.',
  }).exactOptional(),
});

export const ConversationStreamQuery = StreamQuery.extend({
  plans: documented(z.stringbool().default(false), {
    description: 'Also stream which plans change.',
  }),
});

export const StreamHeaders = z.object({
  'last-event-id': documented(
    z.preprocess(readNumber, z.number('must be the id of an event').int().min(0)),
    { description: 'The id of the last event that was received.' },
  ).exactOptional(),
});

export const ImportQuery = z.strictObject({ user });

export const PlanPath = z.object({
  id: documented(z.string().min(1).max(300), { description: 'The plan: `PLAN-3f9a1c20`.' }),
});
export const StepPath = PlanPath.extend({ step: z.string().min(1).max(200) });
export const FindingPath = PlanPath.extend({
  finding: documented(z.string().min(1).max(80), { description: 'The finding: `F-3f9a1c2041b7`.' }),
});
export const ArtifactPath = PlanPath.extend({ artifact: z.string().min(1).max(80) });
export const RunPath = z.object({ id: z.string().min(1).max(300) });
export const ConversationPath = z.object({ id: line(300) });
export const VersionsPath = z.object({
  id: z.string().min(1).max(300),
  a: number(1, 1_000_000),
  b: number(1, 1_000_000),
});
