// Options of documented routes.
import type { FastifyContextConfig } from 'fastify';
import { z } from 'zod';
import type { RouteRole, RouteSubject } from './guard.ts';
import { tags } from './openapi.ts';
import { type ProblemCode, problemKinds } from './problem.ts';
import { ProblemAnswer } from './schemas.ts';

type Answer<Media extends string, Schema extends z.ZodType> = {
  description: string;
  content: Record<Media, { schema: Schema }>;
};

const always: ProblemCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'internal',
  'database_unavailable',
];

export const decisionProblems: ProblemCode[] = [
  'not_allowed',
  'stale_version',
  'already_decided',
  'invalid_transition',
];

export const approvalProblems: ProblemCode[] = [
  ...decisionProblems,
  'digest_mismatch',
  'times_passed',
  'patch_conflict',
  'unknown_step',
  'steps_missing',
  'preflight_failed',
];

export function json<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
): Answer<'application/json', Schema> {
  return { description, content: { 'application/json': { schema } } };
}

export function text<Media extends string>(
  description: string,
  media: Media,
): Answer<Media, z.ZodType> {
  // Loose, because handlers return a stream.
  const content = { [media]: { schema: z.string() as z.ZodType } } as Record<
    Media,
    { schema: z.ZodType }
  >;
  return { description, content };
}

function problemAnswers(codes: ProblemCode[]): Record<number, Answer<string, z.ZodType>> {
  const byStatus = Map.groupBy(new Set(codes), (code) => problemKinds[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${problemKinds[code].title}.`).join(' '),
        content: { 'application/problem+json': { schema: ProblemAnswer } },
      },
    ]),
  );
}

type Takes = {
  description?: string;
  security?: Record<string, string[]>[];
  consumes?: string[];
  params?: z.ZodType;
  querystring?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
};

function impliedProblems(
  role: RouteRole,
  subject: RouteSubject,
  { body, consumes }: { body?: unknown; consumes?: unknown },
) {
  const codes: ProblemCode[] = isOutsideApi(role) ? ['internal'] : [...always];
  // Retention may have deleted the plan.
  if (subject === 'plan' || subject === 'press') codes.push('plan_not_found', 'plan_deleted');
  if (subject === 'run' || subject === 'press') codes.push('run_not_found');
  if (body === undefined) return codes;
  codes.push('body_too_large', 'unsupported_media_type');
  if (consumes === undefined) codes.push('invalid_json');
  if (role !== 'open') codes.push('key_reused');
  return codes;
}

/** Refuses query parameters that a route does not take. */
const NoQuery = z.strictObject({});

const isOutsideApi = (role: RouteRole) => role === 'open' || role === 'page' || role === 'metrics';

export function routesOf(tag: keyof typeof tags) {
  return <Good extends Record<number, Answer<string, z.ZodType>>, Taken extends Takes>(
    role: RouteRole,
    subject: RouteSubject,
    operationId: string,
    summary: string,
    {
      response,
      problems = [],
      config,
      ...taken
    }: Taken & {
      response: Good;
      problems?: ProblemCode[];
      config?: Partial<FastifyContextConfig>;
    },
  ) => ({
    config: { role, subject, ...config },
    schema: {
      operationId,
      tags: [tags[tag]],
      summary,
      ...(isOutsideApi(role) ? {} : { querystring: NoQuery }),
      ...taken,
      response: {
        ...problemAnswers([...impliedProblems(role, subject, taken), ...problems]),
        ...response,
      } as Good,
    },
  });
}
