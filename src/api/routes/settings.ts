// The configuration and checks; only model access is set here.
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Actor } from '#domain/people/actor.ts';
import { CheckedPart, CheckResult, ModelEntry, SettingsView } from '#domain/settings-view.ts';
import { actorOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import { answerChecked } from '../idempotency.ts';
import { documented } from '../registry.ts';

const route = routesOf('system');

export type SettingsOptions = {
  settings: {
    read(): Promise<SettingsView>;
    check(part: CheckedPart): Promise<CheckResult[]>;
    connectModel(entry: ModelEntry, actor: Actor): Promise<CheckResult[]>;
    disconnectModel(actor: Actor): Promise<boolean>;
  };
};

const SettingsAnswer = documented(SettingsView, {
  id: 'Settings',
  description:
    'The configuration without secrets, and the tools of this process. Other processes may differ.',
});
const CheckBody = documented(CheckedPart, {
  id: 'CheckedPart',
  examples: [{ part: 'tool', tool: 'files' }, { part: 'slack' }],
});
const CheckAnswer = documented(z.object({ results: z.array(CheckResult) }), {
  id: 'CheckResults',
  description: 'The result, as in `countersign doctor`.',
});

const ModelBody = documented(ModelEntry, { id: 'ModelEntry', examples: [{ api_key: 'sk-…' }] });

export const settingsRoutes: FastifyPluginAsyncZod<SettingsOptions> = async (app, { settings }) => {
  app.get(
    '/api/settings',
    route('admin', 'instance', 'getSettings', 'Read the setup', {
      response: { 200: json('The settings.', SettingsAnswer) },
    }),
    async () => settings.read(),
  );

  app.post(
    '/api/settings/check',
    route('admin', 'instance', 'checkSettings', 'Check a tool or chat platform now', {
      description: 'Connects if necessary; changes nothing.',
      body: CheckBody,
      response: { 200: json('What was found.', CheckAnswer) },
    }),
    (request, reply) =>
      answerChecked(
        request,
        reply,
        () => settings.check(request.body),
        async (_, results) => ({ results }),
      ),
  );

  app.put(
    '/api/settings/model',
    route('admin', 'instance', 'connectModel', 'Connect a model', {
      description:
        'Tests the configured models with this key. If each answers with a tool call, key and URL are stored encrypted and used by all processes. Environment variables take precedence; with them nothing can be connected here.',
      body: ModelBody,
      response: { 200: json('What the models answered.', CheckAnswer) },
    }),
    async (request) => ({
      results: await settings.connectModel(request.body, actorOf(request, undefined)),
    }),
  );

  app.delete(
    '/api/settings/model',
    route('admin', 'instance', 'disconnectModel', 'Disconnect the model', {
      response: {
        200: json('Whether there was one.', z.object({ disconnected: z.boolean() })),
      },
    }),
    async (request) => ({
      disconnected: await settings.disconnectModel(actorOf(request, undefined)),
    }),
  );
};
