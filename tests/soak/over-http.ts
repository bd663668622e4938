// Console, API and terminal users, through any running gateway.
import { setTimeout as pause } from 'node:timers/promises';
import type { Plan } from '#domain/plan/plan.ts';
import type { Chance } from '../fixtures/random.ts';
import { insist } from '../setup/insist.ts';
import type { Programs } from '../setup/process.ts';
import type { Stage } from './stage.ts';
import { type Desk, endedStatuses, findRun, type Story } from './story.ts';
import { draftPlan, wordsFor } from './work.ts';

/** @returns problems of the stream */
async function follow(url: string, isOver: () => boolean): Promise<string[]> {
  const problems: string[] = [];
  let last = 0;
  while (!isOver()) {
    const away = new AbortController();
    const watch = setInterval(() => {
      if (isOver()) away.abort();
    }, 1000);
    try {
      const headers: Record<string, string> = last === 0 ? {} : { 'last-event-id': String(last) };
      const response = await fetch(url, { headers, signal: away.signal });
      let rest = '';
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [, id] = /^id: (\d+)$/.exec(line) ?? [];
          if (id === undefined) continue;
          if (Number(id) <= last) problems.push(`event ${id} came after ${last}`);
          last = Number(id);
        }
      }
    } catch {
      // A browser reconnects too.
    } finally {
      clearInterval(watch);
    }
    await pause(1000);
  }
  return problems;
}

type Followed = { streams: Promise<string[]>[] };

function openHttpDesk({ front, records }: Stage, user: string): Omit<Desk, 'ask'> {
  const planOf = ({ plan }: Story) => records.plans.get(plan ?? '');
  return {
    showsPlan: (story) => planOf(story) !== undefined,
    showsAnswer: () => true,
    async decide({ plan, decision }) {
      const { id, version, digest } = await getPlan(front, plan ?? '');
      if (decision === 'reject')
        return void (await insist({ url: front }, `/api/plans/${id}/reject`, { version, user }));
      await insist({ url: front }, `/api/plans/${id}/approve`, { version, digest, user });
    },
    isClosed: (story) => endedStatuses.includes(planOf(story)?.status ?? ''),
  };
}

async function getPlan(front: string, id: string): Promise<Plan> {
  for (;;) {
    const answer = await fetch(`${front}/api/plans/${id}`).catch(() => null);
    const body: unknown = await answer?.json().catch(() => null);
    if (answer?.status === 200 && body !== null) return body as Plan;
    await pause(300);
  }
}

export function openConsoleDesk(stage: Stage, chance: Chance): Desk & Followed {
  const { front, ledger, records } = stage;
  const streams: Promise<string[]>[] = [];
  const desk = openHttpDesk(stage, 'ana');
  return {
    ...desk,
    streams,
    async ask(story) {
      const words = wordsFor(story.kind, story.reads ?? story.name, ledger.url);
      await insist({ url: front }, '/api/run', { text: words, user: 'ana' });
      return true;
    },
    async decide(story) {
      if (chance.next() < 0.5) {
        const over = () =>
          endedStatuses.includes(records.plans.get(story.plan ?? '')?.status ?? '');
        streams.push(follow(`${front}/api/plans/${story.plan}/events`, over));
      }
      await desk.decide(story);
    },
  };
}

export function openProgramDesk(stage: Stage, chance: Chance): Desk {
  const { front, ledger } = stage;
  return {
    ...openHttpDesk(stage, 'ana'),
    async ask(story) {
      const { draft, effects } = draftPlan(story.name, ledger.url, chance);
      story.effects = effects;
      const plan = await insist<Plan>({ url: front }, '/api/plans', { ...draft, user: 'ana' });
      story.plan = plan.id;
      return true;
    },
  };
}

/** A process per request, which approves by itself. */
export function openTerminalDesk(stage: Stage, programs: Programs): Desk {
  const { records, terminal, terminals, ledger } = stage;
  const others = openHttpDesk(stage, 'ops');
  const endings = new Map<string, number | null>();
  return {
    async ask(story) {
      const words = wordsFor(story.kind, story.reads ?? story.name, ledger.url);
      const program = programs.run(['ask', words, '--yes', '--json', '--user', 'tess'], terminal);
      program.endInput();
      terminals.add(program.pid);
      void program.exited.then(({ code }) => {
        terminals.delete(program.pid);
        endings.set(story.name, code);
      });
      const isKnown = () => findRun(records, story) !== undefined;
      // Ends with a message if its request is not stored.
      while (!isKnown() && !endings.has(story.name)) await pause(200);
      if (!isKnown()) await pause(2000);
      return isKnown();
    },
    showsPlan: () => true,
    showsAnswer: () => true,
    async decide(story) {
      // Another person decides if the terminal fails before.
      const plan = () => records.plans.get(story.plan ?? '');
      while (!endings.has(story.name)) await pause(200);
      await pause(2000);
      if (plan()?.status !== 'proposed') return;
      story.decision = 'reject';
      await others.decide(story);
    },
    isClosed: (story) => endedStatuses.includes(records.plans.get(story.plan ?? '')?.status ?? ''),
  };
}
