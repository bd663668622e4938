// The connector on botbuilder.
import type { TeamsAccess } from '../access.ts';
import { finishWithin } from '../finish-within.ts';
import { createAuthenticate, isAnswerable } from './authenticate.ts';
import { createCalls } from './calls.ts';
import { createGraph, createTokens, type TeamsCloud } from './cloud.ts';
import type { Connector } from './connector.ts';
import { explainSignIn } from './explain-error.ts';

/** @param cloud replaces Microsoft's public cloud */
export function openConnector(
  access: TeamsAccess,
  cloud: TeamsCloud | null,
  now: () => Date,
): Connector {
  const calls = createCalls({
    tokens: createTokens(access, cloud),
    graph: createGraph(access, cloud),
    answerable: (url) => isAnswerable(url, access.kind === 'Local' || cloud !== null),
    now,
  });
  return { ...calls, authenticate: createAuthenticate(access, cloud) };
}

/** Limit for Microsoft's sign-in. */
const answeredWithinMs = 10_000;

/** @throws CountersignError with advice for an operator */
export async function tryToSignIn(access: TeamsAccess): Promise<void> {
  const late = () => new Error('it did not answer within 10 seconds');
  try {
    await finishWithin(answeredWithinMs, createTokens(access, null)(true), late);
  } catch (error) {
    throw explainSignIn(error);
  }
}
