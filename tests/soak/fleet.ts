// A soak's processes: restarts them, records lives and usage.
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exit, Options, Program, Programs } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

export type Role = {
  name: string;
  verb: 'gateway' | 'worker';
  options: Options;
  /** Never killed, for its memory. */
  spared: boolean;
};

/** Times in milliseconds since 1970. */
export type Life = {
  name: string;
  pid: number;
  began: number;
  ready: number | null;
  ended: number | null;
  exit: Exit | null;
};

/** Bytes and CPU seconds of a process and its children. */
export type Usage = { name: string; pid: number; at: number; rss: number; cpu: number };

export type Member = Role & { program: Program | null; isReady: boolean };

export type Fleet = {
  members: Member[];
  lives: Life[];
  usages: Usage[];
  settled(): Promise<void>;
  look(): Promise<Usage[]>;
  /** Restarts it after `restMs`. */
  kill(member: Member, restMs: number): Promise<void>;
  /** By SIGTERM. */
  end(): Promise<Exit[]>;
};

const clockTicks = 100;
const pageBytes = 4096;

export async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
}

// From /proc: CPU seconds and bytes, by pid.
async function readProcesses() {
  const found = new Map<number, { parent: number; cpu: number; rss: number }>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    // The name is in brackets and may have blanks.
    const fields =
      stat
        ?.slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number) ?? [];
    const [, parent, user, system, pages] = [0, 1, 11, 12, 21].map((at) => fields[at] ?? 0);
    if (stat === null || parent === undefined) continue;
    const cpu = ((user ?? 0) + (system ?? 0)) / clockTicks;
    found.set(pid, { parent, cpu, rss: (pages ?? 0) * pageBytes });
  }
  return found;
}

/** CPU seconds, running descendants included. */
export async function readTreeCpu(root: number): Promise<number> {
  const all = await readProcesses();
  const isBelow = (pid: number): boolean => {
    const one = all.get(pid);
    return pid === root || (one !== undefined && one.parent > 1 && isBelow(one.parent));
  };
  return [...all].reduce((sum, [pid, { cpu }]) => (isBelow(pid) ? sum + cpu : sum), 0);
}

export function openFleet(programs: Programs, roles: Role[]): Fleet {
  const lives: Life[] = [];
  const usages: Usage[] = [];
  const members: Member[] = roles.map((role) => ({ ...role, program: null, isReady: false }));
  let ending = false;
  const rests = new Map<Member, number>();

  async function liveOnce(member: Member): Promise<void> {
    const program = programs.run([member.verb], member.options);
    const life: Life = {
      name: member.name,
      pid: program.pid,
      began: Date.now(),
      ready: null,
      ended: null,
      exit: null,
    };
    lives.push(life);
    member.program = program;
    while (program.isRunning() && !/worker is ready|^ *Console +http/m.test(program.stdout()))
      await pause(50);
    if (program.isRunning()) {
      life.ready = Date.now();
      member.isReady = true;
    }
    life.exit = await program.exited;
    life.ended = Date.now();
    member.isReady = false;
    member.program = null;
  }

  async function live(member: Member): Promise<void> {
    while (!ending) {
      await liveOnce(member);
      await pause(rests.get(member) ?? 1000);
      rests.delete(member);
    }
  }

  const running = members.map(live);
  return {
    members,
    lives,
    usages,
    async settled() {
      const ready = () => members.every(({ isReady }) => isReady);
      await waitFor('every process to be ready', ready, { timeoutMs: 180_000, everyMs: 100 });
    },
    async look() {
      const all = await readProcesses();
      const at = Date.now();
      const seen = members.flatMap(({ name, program, isReady }) => {
        const one = program === null || !isReady ? undefined : all.get(program.pid);
        if (program === null || one === undefined) return [];
        const own = [...all.values()].filter(({ parent }) => parent === program.pid);
        const cpu = own.reduce((sum, child) => sum + child.cpu, one.cpu);
        return [{ name, pid: program.pid, at, rss: one.rss, cpu }];
      });
      usages.push(...seen);
      return seen;
    },
    async kill(member, restMs) {
      rests.set(member, restMs);
      await member.program?.stop('SIGKILL');
    },
    async end() {
      ending = true;
      const exits = await Promise.all(
        members.flatMap(({ program }) => (program === null ? [] : [program.stop()])),
      );
      await Promise.all(running);
      return exits;
    },
  };
}
