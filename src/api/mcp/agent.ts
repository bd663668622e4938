// The calling agent and its owner.
import { CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { hasRole, type Role } from '#domain/people/principal.ts';
import type { Service } from '#domain/service.ts';
import { makeStorableText } from '#domain/text.ts';
import { actorOf } from '../actor.ts';

export type Visitor = {
  owner: Actor;
  agent: Actor;
  service: Service;
  /** @throws `forbidden` if owner or token lacks it */
  requireRole(role: Role): void;
};

const Greeting = z.looseObject({
  [CLIENT_INFO_META_KEY]: z.looseObject({ title: z.string().optional(), name: z.string() }),
});
const maxName = 60;

/** `claude-code/2.1.0 (cli)` → `claude-code`; null for generic clients. */
function readUserAgent(header: string | undefined): string | null {
  const [, product = ''] = /^([\w.-]+)/.exec(header ?? '') ?? [];
  return ['', 'node', 'undici', 'mozilla', 'curl'].includes(product.toLowerCase()) ? null : product;
}

/** `claude-code` → `Claude Code` */
function capitalise(name: string): string {
  if (!/^[a-z\d]+(?:[-_][a-z\d]+)*$/.test(name)) return name;
  return name
    .replace(/(?:^|[-_])([a-z\d])/g, (_, first: string) => ` ${first.toUpperCase()}`)
    .trim();
}

/** Shown, never compared. */
function nameAgent(
  request: FastifyRequest,
  context: ServerContext,
  given: string | undefined,
): string {
  const greeted = Greeting.safeParse(context.mcpReq.envelope).data?.[CLIENT_INFO_META_KEY];
  const greeting = greeted?.title ?? greeted?.name;
  const name = given ?? greeting ?? readUserAgent(request.headers['user-agent']) ?? 'An agent';
  const line = makeStorableText(name).replace(/\s+/g, ' ').trim().slice(0, maxName).toWellFormed();
  return capitalise(line === '' ? 'An agent' : line);
}

export function visitorOf(
  request: FastifyRequest,
  context: ServerContext,
  given: string | undefined,
): Visitor {
  const { principal, service } = request;
  const owner = actorOf(request, undefined);
  return {
    owner,
    agent: { ...owner, kind: 'model', id: nameAgent(request, context, given), via: 'mcp' },
    service,
    requireRole(role) {
      if (hasRole(principal.role, role)) return;
      throw new CountersignError(
        'forbidden',
        `This needs the role ${role}; ${principal.name} has the role ${principal.role}.`,
      );
    },
  };
}
