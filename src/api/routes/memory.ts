// What people asked to keep: listing, keeping, changing and forgetting it, for a person or for a conversation.
import { z } from 'zod';
import { MemoryEntry, MemoryNote, type MemoryPlace } from '#domain/people/memory.ts';
import { line } from '#domain/text.ts';
import { actorOf } from '../actor.ts';
import { answers, bodyProblems, json } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { tags } from '../openapi.ts';
import { documented } from '../registry.ts';

const MemoryPath = z.object({
  user: documented(line(200), { description: 'The person: `local` where there is no login.' }),
});
const EntryPath = MemoryPath.extend({ id: z.coerce.number().int().min(1) });
const MemoryQuery = z.strictObject({
  conversation: documented(line(300), {
    description: 'Entries of this conversation, or of its whole channel, in place of their own.',
  }).exactOptional(),
});
const NoteBody = documented(MemoryNote, {
  id: 'MemoryNote',
  description:
    'What is kept; `name`: what it is filed under. A note takes the place of one of the same name.',
  examples: [{ name: 'Ana', text: 'ana@example.com' }],
});
const EntryAnswer = documented(MemoryEntry, {
  id: 'MemoryEntry',
  description:
    'An entry; `source` says where it came from: what was said, an approval, or this API.',
});
const EntryList = documented(z.object({ entries: z.array(EntryAnswer) }), {
  id: 'MemoryList',
  description: 'What is remembered, the newest first.',
});

type Asked = {
  params: { user: string };
  query: { conversation?: string };
};

const placeOf = ({ params: { user }, query }: Asked): MemoryPlace => ({ user, ...query });

export const memoryRoutes: Routes = async (app, { service }) => {
  const common = { tags: [tags.conversations], querystring: MemoryQuery };

  app.get(
    '/api/memory/:user',
    {
      schema: {
        ...common,
        operationId: 'listMemory',
        summary: 'What is remembered for a person or a conversation',
        params: MemoryPath,
        response: answers({ 200: json('The entries.', EntryList) }, ['not_allowed']),
      },
    },
    async (request) => ({
      entries: await service.listMemory(placeOf(request), actorOf(request, request.params.user)),
    }),
  );

  app.post(
    '/api/memory/:user',
    {
      schema: {
        ...common,
        operationId: 'keepMemory',
        summary: 'Keep a note',
        params: MemoryPath,
        body: NoteBody,
        response: answers({ 200: json('The entry.', EntryAnswer) }, [
          ...bodyProblems,
          'not_allowed',
          'limit_exceeded',
        ]),
      },
    },
    async (request, reply) =>
      answerPost(service, request, reply, (joined) =>
        joined.keepMemory(placeOf(request), request.body, actorOf(request, request.params.user)),
      ),
  );

  app.patch(
    '/api/memory/:user/:id',
    {
      schema: {
        ...common,
        operationId: 'editMemory',
        summary: 'Change an entry',
        description: 'What the body leaves out of an entry is gone.',
        params: EntryPath,
        body: NoteBody,
        response: answers({ 200: json('The entry as it is now.', EntryAnswer) }, [
          ...bodyProblems,
          'not_allowed',
          'not_found',
        ]),
      },
    },
    async (request) => {
      const { user, id } = request.params;
      return service.editMemory(placeOf(request), id, request.body, actorOf(request, user));
    },
  );

  app.delete(
    '/api/memory/:user/:id',
    {
      schema: {
        ...common,
        operationId: 'forgetMemory',
        summary: 'Forget an entry',
        params: EntryPath,
        response: answers({ 200: json('The entry as it was.', EntryAnswer) }, [
          'not_allowed',
          'not_found',
        ]),
      },
    },
    async (request) => {
      const { user, id } = request.params;
      return service.forgetMemory(placeOf(request), id, actorOf(request, user));
    },
  );
};
