// Results of `/mcp` tools.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { explainError } from '../errors.ts';
import { problemKinds } from '../problem.ts';

export const reads = { readOnlyHint: true, openWorldHint: false };

export type Answer = (work: () => Promise<CallToolResult>) => Promise<CallToolResult>;

export function answerWith(text: string, data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}

/** Agents read errors as results; internal ones are logged. */
export async function answerFor(
  request: FastifyRequest,
  work: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    const { code, detail, details } = explainError(error, request);
    if (problemKinds[code].status >= 500) request.log.error({ err: error }, code);
    const body = { code, ...(details === undefined ? {} : { details }) };
    const text = `${detail}\n${JSON.stringify(body)}`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
