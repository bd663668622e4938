import { expect, test } from 'vitest';
import { readDecision, readLook } from '#adapters/teams/press/read-press.ts';

const details = { action: 'details', plan_id: 'PLAN-0a1b2c3d', version: 1, digest: 'a'.repeat(64) };

test.each(['pending', 'all', 'mine', 'running', 'pending 2', 'all 10'])(
  'the list “%s” can be looked at',
  (list) => {
    expect(readLook('list', { list })).toEqual({ kind: 'list', list: list });
    expect(readLook('details', { ...details, list })).toMatchObject({ kind: 'details', list });
  },
);

test.each(['link', 'link ABCD-1234', 'LINK', 'PLAN-0a1b2c3d', 'stats', 'help', 'all 0', 'all 100'])(
  'a look at “%s” is none: a button never does what a written command does',
  (list) => {
    expect(readLook('list', { list })).toBeNull();
    expect(readLook('details', { ...details, list })).toBeNull();
    expect(readDecision('list', { list })).toBeNull();
  },
);

test('what was entered can be stored, whatever a client sends', () => {
  const press = { action: 'propose_changes', plan_id: 'PLAN-0a1b2c3d', version: 1, digest: 'd' };
  const sent = { ...press, 'text:propose_changes': 'a\0b\ud800c' };
  expect(JSON.stringify(readDecision('propose_changes', sent))).not.toMatch(/\\u0000|\\ud800/);
});
