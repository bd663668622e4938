// Encrypts stored secrets by COUNTERSIGN_ENCRYPTION_KEY or a key file.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSeal, type Seal } from '#db/seal.ts';
import { readEncryptionKey } from '#domain/environment.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Config } from './config.ts';

const keyBytes = 32;

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Created once, even by concurrent processes. */
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
    `${path} is not a key. Restore it, or remove it, then sign in to your MCP servers and enter the model's key again.`,
  );
}

/** @returns the seal, or why there is none */
export function openSecretSeal({ env, home }: Pick<Config, 'env' | 'home'>): Seal | string {
  const { COUNTERSIGN_ENCRYPTION_KEY: key } = env;
  if (key !== undefined) return createSeal(readEncryptionKey(key));
  if (env.DATABASE_URL === undefined) return createSeal(readKeyFile(join(home, 'sign-in.key')));
  return 'Set COUNTERSIGN_ENCRYPTION_KEY for every process ("openssl rand -base64 32") to store sign-ins and keys.';
}
