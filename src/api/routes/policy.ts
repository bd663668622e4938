// Communication preferences.
import { z } from 'zod';
import { InteractionPolicy } from '#domain/people/policy.ts';
import { line } from '#domain/text.ts';
import { actorOf, viewerOf } from '../actor.ts';
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { documented } from '../registry.ts';
import { PolicyAnswer } from '../schemas.ts';

const route = routesOf('conversations');

const PolicyPath = z.object({
  user: documented(line(200), { description: 'The person; `local` without sign-in.' }),
});

const PolicyBody = documented(
  InteractionPolicy.partial().extend({ calendar: z.string().max(2100).optional() }),
  {
    id: 'Policy',
    description:
      'Sliders a person sets; those that are left out keep their defaults. `calendar` connects the ICS calendar at an https address, or with `none` disconnects it; left out, it stays.',
    examples: [{ conversation_style: 'concise', probing_depth: 1 }],
  },
);

export const policyRoutes: Routes = async (app) => {
  app.get(
    '/api/policy/:user',
    route('viewer', 'person', 'getPolicy', "Read a person's preferences", {
      params: PolicyPath,
      response: { 200: json('The sliders.', PolicyAnswer) },
    }),
    async (request) => request.service.getPolicy(viewerOf(request, request.params.user)),
  );

  app.put(
    '/api/policy/:user',
    route('requester', 'person', 'setPolicy', "Set a person's preferences", {
      description: 'Replaces the preferences: omitted ones return to their defaults.',
      params: PolicyPath,
      body: PolicyBody,
      response: { 200: json('The sliders as they are now.', PolicyAnswer) },
      problems: ['not_allowed'],
    }),
    async (request) => {
      const actor = actorOf(request, request.params.user);
      const { calendar, ...policy } = request.body;
      const change = { policy, keep: false, ...(calendar === undefined ? {} : { calendar }) };
      return request.service.setPolicy(actor.id, change, actor);
    },
  );
};
