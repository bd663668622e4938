// The key that encrypts sign-ins at MCP servers: COUNTERSIGN_ENCRYPTION_KEY, or, where the database is this machine's own, a file beside it.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSeal, type Seal } from '#db/seal.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { readEncryptionKey } from '#domain/settings.ts';
import type { Config } from './config.ts';

const keyBytes = 32;

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Made once; of two processes that make it at once, one finds the other's. */
function readKeyFile(path: string): Buffer {
  try {
    writeFileSync(path, `${randomBytes(keyBytes).toString('base64')}\n`, {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    if (!isThere(error))
      throw new CountersignError(
        'invalid_configuration',
        `${path} cannot be written (${errorMessage(error)}). Set COUNTERSIGN_ENCRYPTION_KEY instead.`,
        { cause: error },
      );
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length === keyBytes) return key;
  throw new CountersignError(
    'invalid_configuration',
    `${path} is not a key. Restore it, or remove it and sign in again at your MCP servers.`,
  );
}

/** What encrypts sign-ins; a sentence: why nothing can be kept. */
export function openSignInSeal({ env, home }: Pick<Config, 'env' | 'home'>): Seal | string {
  const { COUNTERSIGN_ENCRYPTION_KEY: key } = env;
  if (key !== undefined) return createSeal(readEncryptionKey(key));
  if (env.DATABASE_URL === undefined) return createSeal(readKeyFile(join(home, 'sign-in.key')));
  return 'COUNTERSIGN_ENCRYPTION_KEY is not set, and without it no sign-in can be kept. Set it for every process ("openssl rand -base64 32").';
}
