// A route's answers for the document: what it gives, and every problem it can end in, grouped by status.
import { z } from 'zod';
import { type ProblemCode, problemKinds } from './problem.ts';
import { ProblemAnswer } from './schemas.ts';

type Answer<Media extends string, Schema extends z.ZodType> = {
  description: string;
  content: Record<Media, { schema: Schema }>;
};

/** Problems every path of the API can end in. */
const always: ProblemCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'internal',
  'database_unavailable',
];

/** Problems of every path that takes a body. */
export const bodyProblems: ProblemCode[] = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
  'key_reused',
];

/** Every path with which a person decides, or says what may decide, has these as well. */
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

/** An answer that is text of the type `media`, usually a stream. */
export function text<Media extends string>(
  description: string,
  media: Media,
): Answer<Media, z.ZodType> {
  // Typed as anything that zod can read, because handlers answer with a stream of it.
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

/**
 * The `response` of a route: its good answers, and the problems it names besides those of every
 * path. The type speaks of the good ones only: they are what a handler may return.
 */
export function answers<Good extends Record<number, Answer<string, z.ZodType>>>(
  good: Good,
  codes: ProblemCode[] = [],
): Good {
  // Where a plan is looked for, retention may have deleted it.
  const gone: ProblemCode[] = codes.includes('plan_not_found') ? ['plan_deleted'] : [];
  return { ...problemAnswers([...always, ...codes, ...gone]), ...good };
}

/** The answers of a path outside the API: only the problems it names, and `internal`. */
export function openAnswers<Good extends Record<number, Answer<string, z.ZodType>>>(
  good: Good,
  codes: ProblemCode[] = [],
): Good {
  return { ...problemAnswers(['internal', ...codes]), ...good };
}
