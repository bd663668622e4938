// The installation's state: valid ten minutes, once, cookie-bound.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StateStore } from '@slack/bolt';
import type { SlackInstallations } from '#domain/chat/slack-installation.ts';
import type { Clock } from '#domain/clock.ts';

export const stateLivesSeconds = 600;

export class StateRefused extends Error {
  readonly code = 'state_refused';
  readonly reason: 'expired' | 'forged' | 'reused';

  constructor(reason: StateRefused['reason']) {
    super(`The state of the installation is ${reason}.`);
    this.reason = reason;
  }
}

function sign(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

function makeState(now: Date, secret: string): string {
  const body = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`;
  return `${body}.${sign(body, secret).toString('base64url')}`;
}

/** @throws StateRefused */
function readState(state: string, now: Date, secret: string): { id: string; expiresAt: Date } {
  const [issued = '', id = '', signature = ''] = state.split('.');
  const given = Buffer.from(signature, 'base64url');
  const wanted = sign(`${issued}.${id}`, secret);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new StateRefused('forged');
  const expiresAt = new Date(Number.parseInt(issued, 36) + stateLivesSeconds * 1000);
  if (expiresAt < now) throw new StateRefused('expired');
  return { id, expiresAt };
}

export function createStateStore(options: {
  installations: Pick<SlackInstallations, 'useState'>;
  scopes: string[];
  secret: string;
  clock: Clock;
}): StateStore {
  const { installations, scopes, secret, clock } = options;
  return {
    generateStateParam: async () => makeState(clock.now(), secret),
    async verifyStateParam(_now, state) {
      const { id, expiresAt } = readState(state, clock.now(), secret);
      if (!(await installations.useState(id, expiresAt))) throw new StateRefused('reused');
      return { scopes };
    },
  };
}
