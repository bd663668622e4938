// A route's documented responses: results, and all possible problems grouped by status.
import { z } from 'zod';
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

export const bodyProblems: ProblemCode[] = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
  'key_reused',
];

export const decisionProblems: ProblemCode[] = [
  ...bodyProblems,
  'not_allowed',
  'stale_version',
  'already_decided',
  'invalid_transition',
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
  // Typed loosely, because handlers return a stream.
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

/** The type covers only results, which handlers return. */
export function answers<Good extends Record<number, Answer<string, z.ZodType>>>(
  good: Good,
  codes: ProblemCode[] = [],
): Good {
  // Retention may have deleted the plan.
  const gone: ProblemCode[] = codes.includes('plan_not_found') ? ['plan_deleted'] : [];
  return { ...problemAnswers([...always, ...codes, ...gone]), ...good };
}

/** Outside the API: only the named problems and `internal`. */
export function openAnswers<Good extends Record<number, Answer<string, z.ZodType>>>(
  good: Good,
  codes: ProblemCode[] = [],
): Good {
  return { ...problemAnswers(['internal', ...codes]), ...good };
}
