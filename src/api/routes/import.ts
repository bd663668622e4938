// Imports a Markdown export, in a scope that takes Markdown.
import { z } from 'zod';
import { charsetOf, decodeText } from '#domain/encoding/encoding.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import { bodyLimits, type Routes } from '../context.ts';
import { answerChecked } from '../idempotency.ts';
import { ImportQuery } from '../queries.ts';
import { PlanAnswer } from '../schemas.ts';
import { proposalProblems } from './plans.ts';

const route = routesOf('exports');

const markdown = 'text/markdown';

export const importRoutes: Routes = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(markdown, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const declared = charsetOf(request.headers['content-type'] ?? '');
    done(null, decodeText(body, { declared })?.text ?? body.toString());
  });
  app.post(
    '/api/plans/import',
    {
      ...route('admin', 'new', 'importMarkdown', 'Propose the plan of a Markdown export', {
        config: { accepts: markdown },
        consumes: [markdown],
        querystring: ImportQuery,
        body: z.string('must be the Markdown of a plan').min(1),
        response: { 201: json('The plan, which waits for approval.', PlanAnswer) },
        problems: proposalProblems,
      }),
      bodyLimit: bodyLimits.plan,
    },
    async (request, reply) => {
      const actor = actorOf(request, request.query.user);
      return answerChecked(
        request,
        reply,
        () => request.service.checkMarkdown(request.body, actor),
        async (joined, checked) => {
          const plan = await joined.commit(checked);
          reply.code(201).header('location', `/api/plans/${plan.id}`);
          return plan;
        },
      );
    },
  );
};
