// Exports: the plan as Markdown, its run as JSON lines, its dates as a calendar, and its planning trace.
import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { answers, json, text } from '../answers.ts';
import type { Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { AfterQuery, PlanPath, VersionsPath } from '../requests.ts';
import { AuditAnswer, PlanningAnswer, TraceAnswer, VersionDiffAnswer } from '../schemas.ts';

const markdown = 'text/markdown';

export const exportRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/plan.md',
    {
      config: { role: 'viewer', subject: 'plan' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportMarkdown',
        tags: [tags.exports],
        summary: 'Export a plan as Markdown that can be imported again',
        params: PlanPath,
        response: answers({ 200: text('The plan.', markdown) }, ['plan_not_found']),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const body = await streamText(request.service.exportMarkdown(id), request.log);
      return reply
        .header('content-type', `${markdown}; charset=utf-8`)
        .header('content-disposition', attachment(id, '.md'))
        .send(body);
    },
  );

  app.get(
    '/api/plans/:id/log.jsonl',
    {
      config: { role: 'viewer', subject: 'plan' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportLog',
        tags: [tags.exports],
        summary: 'Export the attempts as JSON lines, in the order they ended',
        params: PlanPath,
        response: answers({ 200: text('The log.', 'application/jsonl') }, ['plan_not_found']),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const body = await streamText(toLines(request.service.exportLog(id)), request.log);
      return reply
        .header('content-type', 'application/jsonl; charset=utf-8')
        .header('content-disposition', attachment(id, '.log.jsonl'))
        .send(body);
    },
  );

  app.get(
    '/api/plans/:id/schedule.ics',
    {
      config: { role: 'viewer', subject: 'plan' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'exportCalendar',
        tags: [tags.exports],
        summary: "Export the dates of a plan's steps as a calendar",
        params: PlanPath,
        response: answers({ 200: text('The calendar.', 'text/calendar') }, ['plan_not_found']),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const body = await request.service.exportCalendar(id);
      return reply
        .header('content-type', 'text/calendar; charset=utf-8')
        .header('content-disposition', attachment(id, '.ics'))
        .send(body);
    },
  );

  app.get(
    '/api/plans/:id/trace',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'getTrace',
        tags: [tags.exports],
        summary: 'Read how a plan was made',
        params: PlanPath,
        response: answers({ 200: json('The trace.', TraceAnswer) }, ['plan_not_found']),
      },
    },
    async (request) => request.service.trace(request.params.id),
  );

  app.get(
    '/api/plans/:id/planning',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'getPlanning',
        tags: [tags.exports],
        summary: 'Read the outline, roadmap and schedule',
        params: PlanPath,
        response: answers({ 200: json('What it was made from.', PlanningAnswer) }, [
          'plan_not_found',
        ]),
      },
    },
    async (request) => request.service.planning(request.params.id),
  );

  app.get(
    '/api/plans/:id/audit',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'getAudit',
        tags: [tags.exports],
        summary: "Read a plan's audit log",
        params: PlanPath,
        querystring: AfterQuery,
        response: answers({ 200: json('A page of the audit.', AuditAnswer) }, ['plan_not_found']),
      },
    },
    async (request) => ({ entries: await request.service.audit(request.params.id, request.query) }),
  );

  app.get(
    '/api/plans/:id/versions/:a..:b',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'getVersionDiff',
        tags: [tags.exports],
        summary: 'Compare two versions',
        params: VersionsPath,
        response: answers({ 200: json('The differences.', VersionDiffAnswer) }, [
          'plan_not_found',
          'not_found',
        ]),
      },
    },
    async (request) => {
      const { id, a, b } = request.params;
      return request.service.versionDiff(id, a, b);
    },
  );
};

// The first chunk comes before the headers, so that an error becomes a problem, not half a file.
async function* join(
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
): AsyncGenerator<string> {
  for (let step = first; step.done !== true; step = await rest.next()) yield step.value;
}

/** @throws errors of the first chunk */
async function streamText(
  chunks: AsyncIterable<string>,
  log: FastifyBaseLogger,
): Promise<Readable> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const stream = Readable.from(join(first, iterator), { objectMode: false });
  // Also if the client leaves before reading: the source must be released.
  stream.once('close', () => {
    iterator
      .return?.()
      .catch((error: unknown) => log.error({ err: error }, 'an export did not end'));
  });
  return stream;
}

async function* toLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.endsWith('\n') ? chunk : `${chunk}\n`;
}

/** `attachment; filename="PLAN-3f9a1c20.md"`, for any ID. */
function attachment(id: string, ending: string): string {
  return `attachment; filename="${id.replace(/[^\w-]/g, '_')}${ending}"`;
}
