import { expect, test } from 'vitest';
import { isUserGroup, readUserGroupKey, userGroupKey } from '#domain/people/user-groups.ts';

test.each<[string, string | null, string | null]>([
  ['slack:T1:S1', null, 'slack:T1:S1'],
  ['slack:T1:S1', 'slack:T1', 'slack:T1:S1'],
  ['slack:T1:S1', 'slack:T2', null],
  ['slack:T1:S1', 'teams:abc', null],
  ['@finance', null, 'slack:@finance'],
  ['@finance', 'slack:T1', 'slack:T1:@finance'],
  ['@finance', 'teams:abc', null],
])('%s is kept for plans of %s as %s', (group, tenant, key) => {
  expect(isUserGroup(group)).toBe(true);
  expect(userGroupKey(group, tenant)).toBe(key);
});

test('groups of the configuration and of providers are none of Slack, nor are people', () => {
  for (const name of ['finance', 'slack:T1/S1', 'slack:T1:U1', 'a@b', 'x slack:T1:S1'])
    expect(isUserGroup(name)).toBe(false);
});

test('a key says in which workspace to look for what', () => {
  expect(readUserGroupKey('slack:T1:S1')).toEqual({ team: 'T1', id: 'S1' });
  expect(readUserGroupKey('slack:T1:@fin')).toEqual({ team: 'T1', handle: 'fin' });
  expect(readUserGroupKey('slack:@fin')).toEqual({ team: null, handle: 'fin' });
});
