import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  drawnCards,
  drawnConsole,
  fingerprintCards,
  fingerprintConsole,
} from '../../pictures/drawn.ts';
import { root } from '../../setup/process.ts';
import { mayHoldLoop } from '../../setup/watch-loop.ts';

test.each([
  ['cards', drawnCards, fingerprintCards],
  ['console', drawnConsole, fingerprintConsole],
] as const)('of %s are up to date (npm run pictures draws them)', (kind, path, fingerprint) => {
  mayHoldLoop('It draws every card.');
  const drawn: unknown = JSON.parse(readFileSync(join(root, path), 'utf8'));
  expect(fingerprint(), `run: npm run pictures ${kind}`).toEqual(drawn);
});
