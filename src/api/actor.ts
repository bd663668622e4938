// Who acts over HTTP: the signed-in person, the named one, or `local`.
import type { FastifyRequest } from 'fastify';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { isKnown, isOwnName, localPrincipal } from '#domain/people/principal.ts';

/** A signed-in person's default name means themselves. */
const isNamed = (user: string | undefined): user is string =>
  user !== undefined && user !== localPrincipal.account;

/** The console sends `x-countersign-surface: console`. @throws `forbidden` for another's name */
export function actorOf(request: FastifyRequest, user: string | undefined): Actor {
  const { principal } = request;
  const via = request.headers['x-countersign-surface'] === 'console' ? 'console' : 'api';
  if (!isKnown(principal)) return person(user ?? 'local', via);
  if (isNamed(user) && !isOwnName(principal, user)) {
    throw new CountersignError(
      'forbidden',
      `You are ${principal.name} (${principal.account}) here and can't act as ${user}. Leave "user" out, or sign in as ${user}.`,
    );
  }
  return {
    ...person(principal.account, via),
    verified: true,
    role: principal.role,
    ...(principal.stale === true ? { stale: true } : {}),
    ...(principal.tenant === null ? {} : { tenant: principal.tenant }),
  };
}

/** Admins may view as anyone. @throws `forbidden` */
export function viewerOf(request: FastifyRequest, user: string | undefined): string {
  const { role, tenant } = request.principal;
  if (isNamed(user) && role === 'admin' && tenant === null) return user;
  return actorOf(request, user).id;
}
