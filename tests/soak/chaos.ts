// Seeded trouble, one at a time: processes, database, network, platforms.
import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceFrom } from '../fixtures/random.ts';
import type { TcpProxy } from '../fixtures/tcp-proxy.ts';
import type { Member } from './fleet.ts';
import type { Stage } from './stage.ts';

type Trouble = { weight: number; make(): Promise<void> };

function troubleNetwork(stage: Stage, name: string, proxies: TcpProxy[], chance: Chance): Trouble {
  const each = (act: (proxy: TcpProxy) => void) => {
    for (const proxy of proxies) act(proxy);
  };
  const ways: Record<string, () => Promise<void>> = {
    async cut() {
      each((proxy) => proxy.cut());
    },
    async slow() {
      const ms = chance.whole(50, 400);
      each((proxy) => proxy.delay(ms));
      await pause(chance.whole(2000, 6000));
      each((proxy) => proxy.delay(0));
    },
    async refuse() {
      each((proxy) => {
        proxy.refuse(true);
        proxy.cut();
      });
      await pause(chance.whole(300, 4000));
      each((proxy) => proxy.refuse(false));
    },
    async silence() {
      each((proxy) => proxy.silence());
      await pause(2000);
    },
    async 'silence new'() {
      each((proxy) => {
        proxy.silenceNew(true);
        proxy.cut();
      });
      await pause(chance.whole(500, 4000));
      each((proxy) => {
        proxy.silenceNew(false);
        proxy.cut();
      });
    },
  };
  return {
    weight: 3,
    async make() {
      const [way, act] = chance.pick(Object.entries(ways));
      await stage.incidents.note(`network ${name}: ${way}`, {}, act);
    },
  };
}

function troubleProcesses({ fleet, incidents }: Stage, chance: Chance): Trouble[] {
  const ready = (verb: Member['verb']) =>
    fleet.members.filter((one) => one.isReady && one.verb === verb);
  const kill = async (verb: Member['verb']) => {
    const victims = ready(verb).filter(({ spared }) => !spared);
    if (victims.length === 0) return;
    const victim = chance.pick(victims);
    const { name, program } = victim;
    await incidents.note(`kill ${verb}`, { pid: program?.pid ?? 0, name }, () =>
      fleet.kill(victim, chance.whole(500, 5000)),
    );
  };
  const stop = async (verb: Member['verb'], longestMs: number) => {
    const others = ready(verb);
    if (others.length === 0) return;
    const { name, program } = chance.pick(others);
    const pid = program?.pid ?? 0;
    await incidents.note(`stop ${verb}`, { pid, name }, async () => {
      process.kill(pid, 'SIGSTOP');
      await pause(chance.whole(500, longestMs));
      process.kill(pid, 'SIGCONT');
    });
  };
  return [
    { weight: 5, make: () => kill('worker') },
    { weight: 3, make: () => kill('gateway') },
    // Sometimes longer than a lease.
    { weight: 2, make: () => stop('worker', 20_000) },
    { weight: 1, make: () => stop('gateway', 6000) },
  ];
}

function troublePlatforms({ slack, teams, incidents }: Stage, chance: Chance): Trouble[] {
  const methods = ['chat.postMessage', 'chat.update'];
  return [
    {
      weight: 2,
      make: () =>
        incidents.note('Slack: refuses or breaks off', {}, async () => {
          for (let at = 0; at < 4; at++)
            slack.fail(
              chance.pick(methods),
              chance.pick([
                { status: 429, retryAfter: 2 } as const,
                { status: 500 } as const,
                { hangUp: 'before' } as const,
                { hangUp: 'after' } as const,
                { silence: 'after' } as const,
              ]),
            );
        }),
    },
    {
      weight: 2,
      make: () =>
        incidents.note('Teams: refuses or breaks off', {}, async () => {
          for (let at = 0; at < 3; at++)
            teams.refuse(
              chance.pick([
                { status: 0 },
                { status: 429, headers: { 'retry-after': '2' } },
                { status: 502 },
              ]),
            );
        }),
    },
  ];
}

/** @param endAt milliseconds since 1970; afterwards everything works */
export async function makeTrouble(stage: Stage, seed: number, endAt: number): Promise<void> {
  const chance = chanceFrom(seed * 7919);
  const { toPooler, toDatabase, toSlack, toTeams, toModel, toGateways } = stage.proxies;
  const restart = (mode: 'fast' | 'immediate') =>
    stage.incidents.note(`database ${mode}`, {}, async () => {
      await stage.database.restart(mode);
      await stage.records.query('select 1');
    });
  const troubles: Trouble[] = [
    ...troubleProcesses(stage, chance),
    ...troublePlatforms(stage, chance),
    troubleNetwork(stage, 'database', [toPooler, toDatabase], chance),
    troubleNetwork(stage, 'Slack', [toSlack], chance),
    troubleNetwork(stage, 'Teams', [toTeams], chance),
    troubleNetwork(stage, 'model', [toModel], chance),
    {
      weight: 1,
      make: () => stage.incidents.note('network gateways: cut', {}, async () => toGateways.cut()),
    },
    { weight: 1, make: () => restart('fast') },
    { weight: 1, make: () => restart('immediate') },
  ];
  // Shuffled, so that short soaks have some of each.
  const round = troubles.flatMap(({ weight, make }) => Array.from({ length: weight }, () => make));
  let left: (() => Promise<void>)[] = [];
  while (Date.now() < endAt) {
    if (left.length === 0) left = [...round];
    const next = chance.pick(left);
    left.splice(left.indexOf(next), 1);
    await next();
    await pause(chance.whole(1500, 6000));
  }
  stage.teams.unrefuse();
}
