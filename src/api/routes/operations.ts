// Operations for forms: search, fields, suggestions.
import { z } from 'zod';
import { OperationField, OperationOffer, OutputChoice } from '#domain/plan/operation-field.ts';
import { CommandForm } from '#domain/planning/command-form.ts';
import { line } from '#domain/text.ts';
import { listCommands } from '#planner/offline/help.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { number } from '../queries.ts';
import { documented } from '../registry.ts';

const route = routesOf('plans');

const Field = documented(OperationField, {
  id: 'OperationField',
  description:
    'A field for one argument. `path` is where its value goes, `type` how it is drawn, `holds` how its input is parsed.',
});
const OfferList = documented(z.object({ operations: z.array(OperationOffer) }), {
  id: 'OperationList',
  description: 'Operations, best match first.',
});
const Form = documented(
  OperationOffer.extend({ fields: z.array(Field), outputs: z.array(OutputChoice) }),
  {
    id: 'OperationForm',
    description: 'An operation with its form fields, and the outputs that later steps can use.',
  },
);
const Values = documented(
  z.object({ values: z.array(z.object({ value: z.string(), label: z.string() })) }),
  { id: 'FieldValues', description: 'Values to choose from, with their labels.' },
);
const OperationPath = z.object({
  name: documented(line(300), { description: 'Tool and operation: `workspace_write`.' }),
});

const CommandList = documented(z.object({ commands: z.array(CommandForm) }), {
  id: 'CommandList',
  description: 'Each with an example, its effect and its first words.',
});

export const operationRoutes: Routes = async (app) => {
  app.get(
    '/api/operations',
    route('viewer', 'list', 'findOperations', 'Find operations by their purpose', {
      description:
        'Operations of this process, live workers and connected servers. Without words, the most used.',
      querystring: z.strictObject({
        words: line(200).exactOptional(),
        limit: number(1, 200).default(30),
      }),
      response: { 200: json('The operations.', OfferList) },
    }),
    async (request) => {
      const { words = '', limit } = request.query;
      const actor = actorOf(request, undefined);
      return { operations: await request.service.findOperations(words, limit, actor) };
    },
  );

  app.get(
    '/api/commands',
    route('viewer', 'list', 'listCommands', 'List the commands', {
      response: { 200: json('The forms.', CommandList) },
    }),
    async () => ({ commands: listCommands() }),
  );

  app.get(
    '/api/operations/:name',
    route('viewer', 'list', 'getOperation', 'Read an operation with the fields of its form', {
      params: OperationPath,
      response: { 200: json('The operation.', Form) },
      problems: ['unknown_operation'],
    }),
    async (request) =>
      request.service.getOperation(request.params.name, actorOf(request, undefined)),
  );

  app.get(
    '/api/operations/:name/values',
    route(
      'requester',
      'list',
      'suggestValues',
      'Values to choose from for a field with a `pick`: files, people',
      {
        params: OperationPath,
        querystring: z.strictObject({ field: line(1000), typed: line(200).exactOptional() }),
        response: { 200: json('The values.', Values) },
        problems: ['unknown_operation'],
      },
    ),
    async (request) => {
      const { field, typed = '' } = request.query;
      const actor = actorOf(request, undefined);
      const { name } = request.params;
      return { values: await request.service.suggestValues(name, field, typed, actor) };
    },
  );
};
