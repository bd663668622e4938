import { expect, test } from 'vitest';
import { type Actor, person } from '#domain/people/actor.ts';
import type { Service } from '#domain/service.ts';
import { actAsPersons } from '#people/act-as-persons.ts';
import { createServiceDouble } from '../../../fixtures/service-double.ts';

const account = person('slack:T1:U1', 'slack');
const ana: Actor = { ...account, id: 'ana' };

function open() {
  const double = createServiceDouble();
  const known = {
    ...double,
    personOf: async (name: string) => (name === account.id ? 'ana' : name),
  };
  return { service: actAsPersons(known, known.personOf), double };
}

test('what an answer was said to, and its name, reach the service with who said it', async () => {
  const { service, double } = open();
  await service.reply('run-1', 'yes', account, { turn: 3, once: 'slack:T1:C1:1.2' });
  expect(double.lastCall('reply')).toEqual([
    'run-1',
    'yes',
    ana,
    { turn: 3, once: 'slack:T1:C1:1.2' },
  ]);
  await service.say('c', 'hello', account, { once: 'slack:T1:C1:1.3' });
  expect(double.lastCall('say')).toEqual(['c', 'hello', ana, { once: 'slack:T1:C1:1.3' }]);
});

const decisions = ['approve', 'reject', 'proposeChanges', 'cancel', 'pause', 'resume', 'retry'];

test.each(decisions)('%s is done by the person, with every argument as it came', async (verb) => {
  const { service, double } = open();
  const { id, version, digest } = await service.propose({ title: 'Rooms', steps: [] }, {}, account);
  const decision = { version, digest, feedback: 'less' };
  const more = { anything: 'that comes after the actor' };
  await Reflect.apply(service[verb as 'approve'], service, [id, decision, account, more]);
  expect(double.lastCall(verb as keyof Service)).toEqual([id, decision, ana, more]);
});

test('whoever is asked about is the person, and nobody in particular stays nobody', async () => {
  const { service, double } = open();
  await service.getPolicy(account.id);
  expect(double.lastCall('getPolicy')).toEqual(['ana']);
  await service.listPlans({ user: account.id, limit: 5 });
  expect(double.lastCall('listPlans')).toEqual([{ user: 'ana', limit: 5 }]);
  await service.listPlans({ limit: 5 });
  expect(double.lastCall('listPlans')).toEqual([{ limit: 5 }]);
  const viewer = { user: '', timezone: 'UTC' };
  await service.card('PLAN-1', viewer).catch(() => {});
  expect(double.lastCall('card')).toEqual(['PLAN-1', viewer]);
});

test('a model acts as itself, and linking is about the account', async () => {
  const { service, double } = open();
  const model: Actor = { kind: 'model', id: account.id, via: 'slack' };
  await service.say('c', 'hello', model);
  expect(double.lastCall('say')).toEqual(['c', 'hello', model]);
  await service.link({ do: 'ask' }, account);
  expect(double.lastCall('link')).toEqual([{ do: 'ask' }, account]);
});
