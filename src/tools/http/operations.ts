// http_get reads; http_request uses any method and counts as a change.
import { z } from 'zod';
import { readPageText } from '#domain/encoding/page-text.ts';
import { CountersignError } from '#domain/errors.ts';
import { AnyJson, type Json } from '#domain/text.ts';
import type { Operation, ToolContext, ToolOutput } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { nothingDone, throwIfAborted } from '../failures.ts';
import { describeLargeOutput } from '../output-schema.ts';
import { type AddressRules, findUrlProblem } from './addresses.ts';
import { findHeaderProblem } from './headers.ts';
import { inspectRequest } from './inspect.ts';
import type { WebAnswer, WebClient } from './send-request.ts';

const Url = text(8000, 'Web address that begins with https:// or http://.');
const Headers = z
  .record(z.string(), z.string().max(8000))
  .default({})
  .describe('HTTP headers to send.');

const output = describeLargeOutput(
  z.strictObject({
    url: z.string().describe('Where the answer came from, after redirects.'),
    status: z.number().int(),
    headers: z.record(z.string(), z.string()),
    json: z.unknown().optional().describe('The document, when the answer is JSON.'),
    text: z.string().optional().describe('The text, when the answer is other text.'),
    binary: z.literal(true).optional().describe('The answer is no text and was left out.'),
    truncated: z.literal(true).optional(),
  }),
);

/** @param inspected origins that are read before a change */
export function createHttpOperations(
  client: WebClient,
  rules: AddressRules,
  inspected: readonly string[],
): Operation[] {
  const check = ({ url, headers }: { [key: string]: unknown }) =>
    (typeof url === 'string' ? findUrlProblem(url, rules) : null) ?? findHeaderProblem(headers);
  return [
    defineOperation({
      tool: 'http',
      operation: 'get',
      description: 'Get a web page, file or JSON document.',
      effect: 'read',
      destructive: false,
      targetArgument: 'url',
      schema: z.strictObject({ url: Url, headers: Headers }),
      output,
      check,
      async run({ url, headers }, context) {
        throwIfAborted(context.signal);
        requireHeaders(headers);
        return toOutput(
          'GET',
          await client.send({
            method: 'GET',
            url,
            headers,
            body: null,
            signal: context.signal,
            changesSomething: false,
          }),
        );
      },
    }),
    defineOperation({
      tool: 'http',
      operation: 'request',
      description: 'Send any HTTP request. Counts as a change, since it may be one.',
      effect: 'write',
      destructive: true,
      targetArgument: 'url',
      schema: z.strictObject({
        url: Url,
        method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
        headers: Headers,
        body: z
          .union([z.string(), z.record(z.string(), AnyJson), z.array(AnyJson)])
          .optional()
          .describe('Text as it is, or an object or list to send as JSON.'),
      }),
      output,
      check,
      ...(inspected.length === 0 ? {} : { inspect: inspectRequest(client, inspected) }),
      async run({ url, method, headers, body }, context) {
        throwIfAborted(context.signal);
        requireHeaders(headers);
        if (body !== undefined && (method === 'GET' || method === 'HEAD'))
          throw new CountersignError('invalid_arguments', `A ${method} request has no body.`);
        const answer = await client.send({
          method,
          url,
          headers: addHeaders(headers, body, method, context),
          body:
            body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
          signal: context.signal,
          changesSomething: true,
        });
        return toOutput(method, answer);
      },
    }),
  ];
}

/** Again before the call, for run-time values. */
function requireHeaders(headers: Record<string, string>): void {
  const problem = findHeaderProblem(headers);
  if (problem !== null)
    throw new CountersignError(problem.code, problem.message, { details: nothingDone });
}

function addHeaders(
  headers: Record<string, string>,
  body: unknown,
  method: string,
  context: ToolContext,
): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const added: Record<string, string> = {};
  if (body !== undefined && typeof body !== 'string' && !names.has('content-type'))
    added['content-type'] = 'application/json';
  if (!names.has('idempotency-key') && method !== 'GET' && method !== 'HEAD')
    added['idempotency-key'] = context.idempotencyKey;
  return { ...added, ...headers };
}

function toOutput(method: string, answer: WebAnswer): ToolOutput {
  const { url, status, headers } = answer;
  const content: { [key: string]: Json } =
    answer.json !== undefined
      ? { json: answer.json }
      : answer.text === null
        ? { binary: true }
        : { text: answer.text };
  const shown =
    answer.json !== undefined
      ? JSON.stringify(answer.json)
      : readPageText(answer.text ?? '', headers['content-type'] ?? null);
  return {
    summary: `${method} ${url} answered ${status}${shown === '' ? '.' : `: ${shorten(shown, 300)}`}`,
    data: { url, status, headers, ...content },
  };
}
