// Conversations: messages that ask, answer or decide.
import { isKnown } from '#domain/people/principal.ts';
import { pickModes } from '#domain/plan/modes.ts';
import { actorOf, viewerOf } from '../actor.ts';
import { decisionProblems, json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { AfterQuery, ConversationPath, ConversationsQuery } from '../queries.ts';
import { TalkBody } from '../requests.ts';
import { ConversationList, MessageList, RunReference } from '../schemas.ts';

const route = routesOf('conversations');

export const conversationRoutes: Routes = async (app) => {
  app.get(
    '/api/conversations',
    route('viewer', 'list', 'listConversations', 'List conversations', {
      querystring: ConversationsQuery,
      response: { 200: json('A page of conversations.', ConversationList) },
    }),
    async (request) => {
      const { user, mine, ...page } = request.query;
      const { principal } = request;
      const all =
        user === undefined && (!isKnown(principal) || (principal.role === 'admin' && !mine));
      const whose = all ? {} : { user: viewerOf(request, user) };
      return request.service.listConversations({ ...page, ...whose });
    },
  );

  app.get(
    '/api/conversations/:id/messages',
    route('viewer', 'conversation', 'listMessages', 'List messages', {
      params: ConversationPath,
      querystring: AfterQuery,
      response: { 200: json('The messages.', MessageList) },
    }),
    async (request) => ({
      messages: await request.service.messages(request.params.id, request.query),
    }),
  );

  app.post(
    '/api/conversations/:id/messages',
    route('requester', 'conversation', 'say', 'Post a message', {
      params: ConversationPath,
      body: TalkBody,
      response: { 202: json('Heard.', RunReference) },
      problems: decisionProblems,
    }),
    async (request, reply) => {
      const { text, user, plan_reasoning_mode, planning_mode, reasoning_level, ...on_screen } =
        request.body;
      const modes = pickModes({ plan_reasoning_mode, planning_mode, reasoning_level });
      const actor = actorOf(request, user);
      return answerPost(request, reply, async (joined) => {
        const sent = await joined.say(request.params.id, text, actor, { on_screen, modes });
        reply.code(202);
        return sent;
      });
    },
  );
};
