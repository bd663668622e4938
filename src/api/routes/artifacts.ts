// Artifacts of a plan, and its planner's data requests.
import { json, routesOf, text } from '../answers.ts';
import type { Routes } from '../context.ts';
import { ArtifactPath, PatchesQuery, PlanPath } from '../queries.ts';
import { ArtifactList, RequestList } from '../schemas.ts';

const route = routesOf('plans');

/** Others are sent as bytes. */
const sentAs = new Set(['application/json', 'text/plain; charset=utf-8']);
const bytes = 'application/octet-stream';

export const artifactRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/artifacts',
    route('viewer', 'plan', 'listArtifacts', 'Find the artifacts of a plan', {
      params: PlanPath,
      querystring: PatchesQuery,
      response: { 200: json('A page of artifacts.', ArtifactList) },
    }),
    async (request) => request.service.listArtifacts(request.params.id, request.query),
  );

  app.get(
    '/api/plans/:id/artifacts/:artifact',
    {
      ...route('viewer', 'plan', 'readArtifact', 'Read an artifact', {
        description: 'The stored content, as an attachment with its media type.',
        params: ArtifactPath,
        response: { 200: text('The content.', bytes) },
        problems: ['not_found'],
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { id, artifact } = request.params;
      const { name, media_type, content } = await request.service.readArtifact(id, artifact);
      return reply
        .header('content-type', sentAs.has(media_type) ? media_type : bytes)
        .header('content-disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`)
        .send(Buffer.from(content));
    },
  );

  app.get(
    '/api/plans/:id/requests',
    route('viewer', 'plan', 'listRequests', "List the planner's data requests", {
      params: PlanPath,
      response: { 200: json('The requests, oldest first.', RequestList) },
    }),
    async (request) => ({ requests: await request.service.listRequests(request.params.id) }),
  );
};
