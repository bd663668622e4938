// Serves `/mcp` statelessly, so that any gateway can.
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { McpOptions } from './options.ts';
import { registerTools } from './tools.ts';
import { createWaiters } from './waiters.ts';

const instructions = `Countersign runs what people have approved. To have something done, find operations with operations_search, read them with operation_describe, and propose a plan with plan_propose: small steps, one call each, with every argument. Nothing runs until a person has approved exactly that plan. Give them its link, then call plan_wait, again and again with its cursor, until it is completed, failed, rejected or cancelled. You cannot approve, reject, answer or cancel anything: that is for people, at the link. If a plan is rejected, read the feedback and propose a better one. plan_get has what each step gave.`;

/** @param left the client disconnected */
export type McpAnswer = {
  (request: FastifyRequest, left: AbortSignal): Promise<Response>;
  close(): Promise<void>;
};

export function createMcpAnswer(options: McpOptions): McpAnswer {
  const visits = new WeakMap<Request, { request: FastifyRequest; left: AbortSignal }>();
  const shared = { ...options, waiters: createWaiters() };
  const handler = createMcpHandler(({ requestInfo }) => {
    const visit = requestInfo === undefined ? undefined : visits.get(requestInfo);
    if (visit === undefined) throw new TypeError('a request to /mcp came from nowhere');
    const server = new McpServer(
      { name: 'countersign', title: 'Countersign', version: options.version },
      { instructions },
    );
    registerTools(server, visit.request, shared, visit.left);
    return server;
  });
  const answer = async (request: FastifyRequest, left: AbortSignal): Promise<Response> => {
    const { body } = request;
    const { headers, method, url } = request.raw;
    if (method === undefined || url === undefined) throw new TypeError('a request without a line');
    const incoming = {
      method,
      url,
      headers,
      [Symbol.asyncIterator]: () => request.raw[Symbol.asyncIterator](),
    };
    // Parsed, to avoid serialising again.
    const asked = await toWebRequest(incoming, body === undefined ? body : null, { signal: left });
    visits.set(asked, { request, left });
    return handler.fetch(asked, body === undefined ? {} : { parsedBody: body });
  };
  return Object.assign(answer, { close: handler.close });
}
