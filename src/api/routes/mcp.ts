// `/mcp` over streamable HTTP; the library loads on first use.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyLimits } from '../context.ts';
import type { McpAnswer } from '../mcp/handler.ts';
import type { McpOptions } from '../mcp/options.ts';

export async function mcpRoutes(app: FastifyInstance, options: McpOptions): Promise<void> {
  let answer: Promise<McpAnswer> | null = null;
  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    answer ??= import('../mcp/handler.ts').then(({ createMcpAnswer }) => createMcpAnswer(options));
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    return reply.send(await (await answer)(request, left.signal));
  }

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: bodyLimits.plan,
    exposeHeadRoute: false,
    // People take their time. Tools check further roles.
    config: { role: 'viewer', subject: 'list', endless: true },
    schema: { hide: true },
    handler: handle,
  });
  app.addHook('onClose', async () => {
    if (answer !== null) await (await answer).close();
  });
}
