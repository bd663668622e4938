// What a tool of `/mcp` answers: data with a schema and the same in a few words; what refuses a call, in its own sentence.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { explainError } from '../errors.ts';
import { problemKinds } from '../problem.ts';

/** What reads and changes nothing is marked as such. */
export const reads = { readOnlyHint: true, openWorldHint: false };

/** Answers a call with what `work` gives. */
export type Answer = (work: () => Promise<CallToolResult>) => Promise<CallToolResult>;

export function answerWith(text: string, data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}

/** What `work` answers. Errors are results too, so that the agent reads what to do; what is not meant for it stays in the log. */
export async function answerFor(
  request: FastifyRequest,
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    const { code, detail, details } = explainError(error, request);
    if (problemKinds[code].status >= 500) request.log.error({ err: error }, code);
    const told = { code, ...(details === undefined ? {} : { details }) };
    const text = `${detail}\n${JSON.stringify(told)}`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
