// Connects to the very address that was checked, which defeats DNS rebinding.
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { passesOf } from '../failures.ts';
import { refuseLateRequests } from '../late-call.ts';
import { type AddressRules, toNotAllowed } from './addresses.ts';

export type Lookup = (host: string) => Promise<string[]>;

const lookupAll: Lookup = async (host) =>
  (await systemLookup(host, { all: true })).map((entry) => entry.address);

export function createGuardedAgent(rules: AddressRules, lookup: Lookup = lookupAll): Dispatcher {
  const connect = buildConnector({ timeout: 10_000 });
  const guarded: buildConnector.connector = (options, callback) => {
    findAddress(options.hostname, rules, lookup).then(
      (address) => {
        const name = stripBrackets(options.hostname);
        const servername = options.servername ?? (isIP(name) === 0 ? name : '');
        connect(
          // `host` wins over `hostname`, so neither may keep the unchecked name.
          { ...options, hostname: address, host: address, servername },
          (...outcome) => {
            const [error, socket] = outcome;
            if (error === null && !rules.allows(name, socket.remoteAddress ?? '')) {
              socket.destroy();
              callback(refuse(options.hostname), null);
            } else callback(...outcome);
          },
        );
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
  return new Agent({ connect: guarded, maxResponseSize: -1, connections: 8 }).compose(
    refuseLateRequests,
  );
}

/** @throws `address_not_allowed`, `tool_failed` */
async function findAddress(hostname: string, rules: AddressRules, lookup: Lookup): Promise<string> {
  const host = stripBrackets(hostname);
  let addresses: string[];
  try {
    addresses = isIP(host) === 0 ? await lookup(host) : [host];
  } catch (error) {
    throw new CountersignError('tool_failed', `The host ${host} was not found.`, {
      cause: errorMessage(error),
      passesAfterMs: passesOf(error),
    });
  }
  const allowed = addresses.find((address) => rules.allows(host, address));
  if (allowed === undefined) throw refuse(hostname);
  return allowed;
}

function refuse(host: string): CountersignError {
  const { code, message } = toNotAllowed(host);
  return new CountersignError(code, message);
}

function stripBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

export function findRefusal(error: unknown): CountersignError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof CountersignError) return cause;
  return null;
}
