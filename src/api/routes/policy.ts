// How a person likes to be talked to: reading and setting their sliders.
import { actorOf } from '../actor.ts';
import { answers, bodyProblems, json } from '../answers.ts';
import type { Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { PolicyAnswer, PolicyBody, PolicyPath } from '../policy-schemas.ts';

export const policyRoutes: Routes = async (app, { service }) => {
  app.get(
    '/api/policy/:user',
    {
      schema: {
        operationId: 'getPolicy',
        tags: [tags.conversations],
        summary: 'How a person likes to be talked to',
        params: PolicyPath,
        response: answers({ 200: json('The sliders.', PolicyAnswer) }),
      },
    },
    async (request) => service.getPolicy(request.params.user),
  );

  app.put(
    '/api/policy/:user',
    {
      schema: {
        operationId: 'setPolicy',
        tags: [tags.conversations],
        summary: 'Set how a person likes to be talked to',
        description:
          'The sliders of the body are what the person sets; those that are left out go back to their defaults.',
        params: PolicyPath,
        body: PolicyBody,
        response: answers({ 200: json('The sliders as they are now.', PolicyAnswer) }, [
          ...bodyProblems,
          'not_allowed',
        ]),
      },
    },
    async (request) => {
      const { user } = request.params;
      const change = { policy: request.body, keep: false };
      return service.setPolicy(user, change, actorOf(request, user));
    },
  );
};
