// This instance's configuration, and whether its parts work now. Read-only: settings live in the environment and the file.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CheckedPart, CheckResult, SettingsView } from '#domain/settings-view.ts';
import { answers, bodyProblems, json } from '../answers.ts';
import { answerChecked } from '../idempotency.ts';
import { tags } from '../openapi.ts';
import { documented } from '../registry.ts';

export type SettingsOptions = {
  settings: {
    read(): Promise<SettingsView>;
    check(part: CheckedPart): Promise<CheckResult[]>;
  };
};

const SettingsAnswer = documented(SettingsView, {
  id: 'Settings',
  description:
    'The configuration without its secrets, and what this process knows of its tools. Other processes may know other things.',
});
const CheckBody = documented(CheckedPart, {
  id: 'CheckedPart',
  examples: [{ part: 'tool', tool: 'files' }, { part: 'slack' }],
});
const CheckAnswer = documented(z.object({ results: z.array(CheckResult) }), {
  id: 'CheckResults',
  description: 'What was found, as `countersign doctor` says it.',
});

export const settingsRoutes: FastifyPluginAsyncZod<SettingsOptions> = async (app, { settings }) => {
  app.get(
    '/api/settings',
    {
      config: { role: 'admin', subject: 'instance' },
      schema: {
        operationId: 'getSettings',
        tags: [tags.system],
        summary: 'How this instance is set up',
        response: answers({ 200: json('The settings.', SettingsAnswer) }),
      },
    },
    async () => settings.read(),
  );

  app.post(
    '/api/settings/check',
    {
      config: { role: 'admin', subject: 'instance' },
      schema: {
        operationId: 'checkSettings',
        tags: [tags.system],
        summary: 'Ask a tool or a chat platform whether it works now',
        description: 'Connects where need be, and changes nothing.',
        body: CheckBody,
        response: answers({ 200: json('What was found.', CheckAnswer) }, bodyProblems),
      },
    },
    (request, reply) =>
      answerChecked(
        request,
        reply,
        () => settings.check(request.body),
        async (_, results) => ({ results }),
      ),
  );
};
