// Steps of a waiting plan: dependents and files.
import { json, routesOf } from '../answers.ts';
import type { Routes } from '../context.ts';
import { PlanPath, PreviewsQuery, StepPath } from '../queries.ts';
import { ChainAnswer, PreviewsAnswer } from '../schemas.ts';

const route = routesOf('plans');

export const stepRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/steps/:step/chain',
    route('viewer', 'plan', 'getStepChain', "Read a step's dependencies and dependents", {
      params: StepPath,
      response: { 200: json('The other steps, by id.', ChainAnswer) },
      problems: ['unknown_step'],
    }),
    async (request) => request.service.stepChain(request.params.id, request.params.step),
  );

  app.get(
    '/api/plans/:id/previews',
    route('viewer', 'plan', 'previewSteps', 'Compare waiting steps with the current files', {
      description:
        'What a write changes in its file, and the beginning of what is moved or deleted. Omits steps that have no file or have begun, and steps whose file an earlier step may change.',
      params: PlanPath,
      querystring: PreviewsQuery,
      response: { 200: json('One for each step that has one.', PreviewsAnswer) },
      problems: ['unknown_step'],
    }),
    async (request) => ({
      previews: await request.service.previewSteps(request.params.id, request.query.ids),
    }),
  );
};
