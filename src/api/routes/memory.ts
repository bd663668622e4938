// A person's memory.
import { z } from 'zod';
import { MemoryEntry, MemoryNote } from '#domain/people/memory.ts';
import { line } from '#domain/text.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { answerPost } from '../idempotency.ts';
import { documented } from '../registry.ts';

const route = routesOf('conversations');

const MemoryPath = z.object({
  user: documented(line(200), { description: 'The person; `local` without sign-in.' }),
});
const EntryPath = MemoryPath.extend({ id: z.coerce.number().int().min(1) });
const NoteBody = documented(MemoryNote, {
  id: 'MemoryNote',
  description: 'The text to remember. An entry with the same `name` is replaced.',
  examples: [{ name: 'Ana', text: 'ana@example.com' }],
});
const EntryAnswer = documented(MemoryEntry, {
  id: 'MemoryEntry',
  description: 'An entry; `source` is a message, an approval or this API.',
});
const EntryList = documented(z.object({ entries: z.array(EntryAnswer) }), {
  id: 'MemoryList',
  description: 'Entries, newest first.',
});

export const memoryRoutes: Routes = async (app) => {
  app.get(
    '/api/memory/:user',
    route('viewer', 'person', 'listMemory', "List a person's memory", {
      params: MemoryPath,
      response: { 200: json('The entries.', EntryList) },
      problems: ['not_allowed'],
    }),
    async (request) => {
      const actor = actorOf(request, request.params.user);
      return { entries: await request.service.listMemory(actor.id, actor) };
    },
  );

  app.post(
    '/api/memory/:user',
    route('requester', 'person', 'keepMemory', 'Add an entry', {
      params: MemoryPath,
      body: NoteBody,
      response: { 200: json('The entry.', EntryAnswer) },
      problems: ['not_allowed', 'limit_exceeded'],
    }),
    async (request, reply) =>
      answerPost(request, reply, (joined) => {
        const actor = actorOf(request, request.params.user);
        return joined.keepMemory(actor.id, request.body, actor);
      }),
  );

  app.put(
    '/api/memory/:user/:id',
    route('requester', 'person', 'editMemory', 'Replace an entry', {
      params: EntryPath,
      body: NoteBody,
      response: { 200: json('The entry as it is now.', EntryAnswer) },
      problems: ['not_allowed', 'not_found'],
    }),
    async (request) => {
      const { user, id } = request.params;
      const actor = actorOf(request, user);
      return request.service.editMemory(actor.id, id, request.body, actor);
    },
  );

  app.delete(
    '/api/memory/:user/:id',
    route('requester', 'person', 'forgetMemory', 'Delete an entry', {
      params: EntryPath,
      response: { 200: json('The entry as it was.', EntryAnswer) },
      problems: ['not_allowed', 'not_found'],
    }),
    async (request) => {
      const { user, id } = request.params;
      const actor = actorOf(request, user);
      return request.service.forgetMemory(actor.id, id, actor);
    },
  );
};
