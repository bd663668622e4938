// Artifacts of a plan, and data requests filed by its planner.
import { answers, json, text } from '../answers.ts';
import type { Routes } from '../context.ts';
import { tags } from '../openapi.ts';
import { ArtifactPath, PatchesQuery, PlanPath } from '../requests.ts';
import { ArtifactList, RequestList } from '../schemas.ts';

/** Other media types are sent as bytes. */
const sentAs = new Set(['application/json', 'text/plain; charset=utf-8']);
const bytes = 'application/octet-stream';

export const artifactRoutes: Routes = async (app) => {
  app.get(
    '/api/plans/:id/artifacts',
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'listArtifacts',
        tags: [tags.plans],
        summary: 'Find the artifacts of a plan',
        params: PlanPath,
        querystring: PatchesQuery,
        response: answers({ 200: json('A page of artifacts.', ArtifactList) }, ['plan_not_found']),
      },
    },
    async (request) => request.service.listArtifacts(request.params.id, request.query),
  );

  app.get(
    '/api/plans/:id/artifacts/:artifact',
    {
      config: { role: 'viewer', subject: 'plan' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'readArtifact',
        tags: [tags.plans],
        summary: 'Read an artifact',
        description: 'Its content as it was stored, as an attachment of its own media type.',
        params: ArtifactPath,
        response: answers({ 200: text('The content.', bytes) }, ['plan_not_found', 'not_found']),
      },
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
    {
      config: { role: 'viewer', subject: 'plan' },
      schema: {
        operationId: 'listRequests',
        tags: [tags.plans],
        summary: "List the planner's data requests",
        params: PlanPath,
        response: answers({ 200: json('The requests, oldest first.', RequestList) }, [
          'plan_not_found',
        ]),
      },
    },
    async (request) => ({ requests: await request.service.listRequests(request.params.id) }),
  );
};
