// Exports: Markdown, run log, calendar, trace.
import { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { json, routesOf, text } from '../answers.ts';
import type { Routes } from '../context.ts';
import { AfterQuery, PlanPath, VersionsPath } from '../queries.ts';
import { AuditAnswer, PlanningAnswer, TraceAnswer, VersionDiffAnswer } from '../schemas.ts';

const route = routesOf('exports');

const markdown = 'text/markdown';

export const exportRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/plan.md',
    {
      ...route(
        'viewer',
        'plan',
        'exportMarkdown',
        'Export a plan as Markdown that can be imported again',
        { params: PlanPath, response: { 200: text('The plan.', markdown) } },
      ),
      exposeHeadRoute: false,
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
      ...route(
        'viewer',
        'plan',
        'exportLog',
        'Export the attempts as JSON lines, in the order they ended',
        { params: PlanPath, response: { 200: text('The log.', 'application/jsonl') } },
      ),
      exposeHeadRoute: false,
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
      ...route(
        'viewer',
        'plan',
        'exportCalendar',
        "Export the dates of a plan's steps as a calendar",
        { params: PlanPath, response: { 200: text('The calendar.', 'text/calendar') } },
      ),
      exposeHeadRoute: false,
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
    route('viewer', 'plan', 'getTrace', 'Read how a plan was made', {
      params: PlanPath,
      response: { 200: json('The trace.', TraceAnswer) },
    }),
    async (request) => request.service.trace(request.params.id),
  );

  app.get(
    '/api/plans/:id/planning',
    route('viewer', 'plan', 'getPlanning', 'Read the outline, roadmap and schedule', {
      params: PlanPath,
      response: { 200: json('What it was made from.', PlanningAnswer) },
    }),
    async (request) => request.service.planning(request.params.id),
  );

  app.get(
    '/api/plans/:id/audit',
    route('viewer', 'plan', 'getAudit', "Read a plan's audit log", {
      params: PlanPath,
      querystring: AfterQuery,
      response: { 200: json('A page of the audit.', AuditAnswer) },
    }),
    async (request) => ({ entries: await request.service.audit(request.params.id, request.query) }),
  );

  app.get(
    '/api/plans/:id/versions/:a..:b',
    route('viewer', 'plan', 'getVersionDiff', 'Compare two versions', {
      params: VersionsPath,
      response: { 200: json('The differences.', VersionDiffAnswer) },
      problems: ['not_found'],
    }),
    async (request) => {
      const { id, a, b } = request.params;
      return request.service.versionDiff(id, a, b);
    },
  );
};

// The first chunk precedes the headers, so errors become problems.
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
  // Releases the source if the client leaves before reading.
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

/** `attachment; filename="PLAN-3f9a1c20.md"` */
function attachment(id: string, ending: string): string {
  return `attachment; filename="${id.replace(/[^\w-]/g, '_')}${ending}"`;
}
