// Links accounts; the other side is a chat platform's.
import { z } from 'zod';
import { LinkOutcome, linked } from '#domain/people/link.ts';
import { line } from '#domain/text.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { documented } from '../registry.ts';

const route = routesOf('conversations');

const user = documented(line(200), {
  description: 'The account; default `local`.',
}).exactOptional();

const LinkQuery = z.strictObject({ user });
const LinkBody = documented(
  z.strictObject({
    code: documented(line(100), {
      description:
        'The code of the other account; without one, a code is created for this account.',
    }).exactOptional(),
    user,
  }),
  { id: 'Link', examples: [{ user: 'ana' }, { user: 'ana', code: 'K7M2P-9QX4R' }] },
);

documented(linked.person, { description: 'The name that the account acts under.' });
documented(linked.accounts, { description: 'All linked accounts.' });
const LinkAnswer = documented(LinkOutcome, {
  id: 'LinkOutcome',
  description: 'A code, or the accounts that are linked.',
});

export const linkRoutes: Routes = async (app) => {
  app.get(
    '/api/link',
    route('viewer', 'self', 'showLink', "Read an account's links", {
      querystring: LinkQuery,
      response: { 200: json('The person and their accounts.', LinkAnswer) },
    }),
    async (request) => request.service.link({ do: 'show' }, actorOf(request, request.query.user)),
  );

  app.post(
    '/api/link',
    route('requester', 'self', 'link', 'Create or use a link code', {
      description:
        'A code works once, within 10 minutes, from the other account: `/plans link CODE` in Slack, `plans link CODE` in Teams. After five wrong codes, an account must wait 10 minutes.',
      body: LinkBody,
      response: { 200: json('The code, or the person and their accounts.', LinkAnswer) },
      problems: ['not_allowed', 'not_found'],
    }),
    async (request, reply) => {
      const { code, user: name } = request.body;
      const command =
        code === undefined ? ({ do: 'ask' } as const) : ({ do: 'use', code } as const);
      return answerPost(request, reply, (joined) => joined.link(command, actorOf(request, name)));
    },
  );

  app.delete(
    '/api/link',
    route('requester', 'self', 'unlink', 'Unlink an account', {
      querystring: LinkQuery,
      response: { 200: json('Who the account is now.', LinkAnswer) },
      problems: ['not_allowed'],
    }),
    async (request) => request.service.link({ do: 'remove' }, actorOf(request, request.query.user)),
  );
};
