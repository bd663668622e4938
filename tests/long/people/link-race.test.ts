// Two accounts approve while they are linked: who was one person before they approved counts once, in whatever order it comes.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemRandom } from '#domain/clock.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { link } from '#people/link.ts';
import { chanceFrom } from '../../fixtures/random.ts';
import { noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });

const seed = 20_261;
const rounds = 60;
/** Each begins within that many milliseconds, so that any of them may come first. */
const latestMs = 100;

const say = (command: Parameters<typeof link>[1], actor: Actor) =>
  link({ db: instance.db, clock: { now: () => new Date() }, random: systemRandom }, command, actor);

/** Does `work` after `ms` milliseconds. @returns when it began and ended */
async function timed(ms: number, work: () => Promise<unknown>) {
  await pause(ms);
  const began = performance.now();
  const error = await work().then(
    () => null,
    (cause: unknown) => cause,
  );
  return { began, ended: performance.now(), error };
}

test('one who becomes one person in the midst of an approval by two', async () => {
  const chance = chanceFrom(seed);
  const seen = { one: 0, two: 0 };
  for (let round = 0; round < rounds; round++) {
    const slack = person(`slack:T1:U${round}`, 'slack');
    const teams = person(`teams:X1:O${round}`, 'teams');
    const other = person('teams:X1:OTHER', 'teams');
    const approvers = { kind: 'n_of' as const, n: 2, people: [slack.id, teams.id, other.id] };
    const draft = { title: `Round ${round}`, steps: [noop('1')], approvers };
    const { id, version, digest } = await instance.service.propose(
      draft,
      {},
      person('api:eve', 'api'),
    );
    const approve = (by: Actor) => instance.service.approve(id, { version, digest }, by);
    const asked = await say({ do: 'ask' }, slack);
    if (asked.kind !== 'code') expect.fail();
    const { code } = asked;
    const late = () => chance.whole(0, latestMs);
    const approveBoth = () =>
      Promise.all([timed(late(), () => approve(slack)), timed(late(), () => approve(teams))]);
    const join = () => timed(late(), () => say({ do: 'use', code }, teams));
    // Every third round links before the approvals, every third after them; in the others anything may come first.
    const before = round % 3 === 0 ? await join() : null;
    const approving = approveBoth();
    if (round % 3 === 1) await approving;
    const joined = before ?? (await join());
    const [first, second] = await approving;
    const where = `round ${round} of seed ${seed}`;
    expect(joined.error, where).toBeNull();
    const { status } = await instance.service.getPlan(id);
    const wereTwo = Math.max(first.ended, second.ended) < joined.began;
    const wasOne = Math.max(first.began, second.began) > joined.ended;
    if (wereTwo) expect(status, where).toBe('approved');
    if (wasOne) expect(status, where).toBe('proposed');
    if (status === 'approved') seen.two++;
    else {
      seen.one++;
      expect((await instance.service.getPlan(id)).approvals, where).toHaveLength(1);
      expect((await approve(other)).status, where).toBe('approved');
    }
    const audit = await instance.service.audit(id, { limit: 100 });
    const decided = audit.filter(({ action }) => action === 'approve');
    expect(decided, where).toHaveLength(1);
  }
  expect(seen.one).toBeGreaterThanOrEqual(rounds / 3);
  expect(seen.two).toBeGreaterThanOrEqual(rounds / 3);
});
