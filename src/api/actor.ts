// Who acts over HTTP: the person the body names, `local` where it names nobody.
import type { FastifyRequest } from 'fastify';
import { type Actor, person } from '#domain/people/actor.ts';

/** The person behind a request; the console marks its own with `x-countersign-surface: console`. */
export function actorOf(request: FastifyRequest, user: string | undefined): Actor {
  const surface = request.headers['x-countersign-surface'];
  return person(user ?? 'local', surface === 'console' ? 'console' : 'api');
}
