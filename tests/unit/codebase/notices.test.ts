// THIRD-PARTY-NOTICES lists today's dependencies, under reviewed licences.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildNotices, noticesFile } from '../../../scripts/notices.ts';

test('THIRD-PARTY-NOTICES is what `npm run notices` writes', () => {
  const changed = buildNotices() !== readFileSync(noticesFile, 'utf8');
  expect(changed ? 'run: npm run notices' : 'up to date').toBe('up to date');
});
