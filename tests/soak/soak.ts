// A soak: people and trouble, then quiet, then the checks.
import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceFrom } from '../fixtures/random.ts';
import { keepaliveMs } from '../fixtures/tcp-proxy.ts';
import type { Programs } from '../setup/process.ts';
import { attend } from './attend.ts';
import { makeTrouble } from './chaos.ts';
import { readTreeCpu } from './fleet.ts';
import { openSlackDesk, openTeamsDesk } from './in-chats.ts';
import { countKinds } from './incidents.ts';
import { digitIn, type OrganisationName } from './organisations.ts';
import { openConsoleDesk, openProgramDesk, openTerminalDesk } from './over-http.ts';
import { drawReport, type Report, readLatencies, writeReport } from './report.ts';
import { judgeSeparation } from './separation.ts';
import { openStage, type Stage } from './stage.ts';
import { type Decision, type Desk, openStory, play, type Story, type Surface } from './story.ts';
import {
  countLogLines,
  judgeAnswers,
  judgeChats,
  judgeConnections,
  judgeEffects,
  judgeIdle,
  judgeLives,
  judgeMemory,
  judgePlans,
  judgeStories,
  judgeUnknowns,
  readGrowth,
  readLeftovers,
  readLiveMemory,
  type Verdict,
} from './verdicts.ts';
import { findLatest, followWaits, judgeRest } from './waits.ts';
import { fileOf, kinds, nameOf } from './work.ts';

export type SoakOptions = {
  minutes: number;
  seed: number;
  folder: string;
  say(line: string): void;
};

// Percentages.
const shares: [Surface, number][] = [
  ['slack', 20],
  ['teams', 24],
  ['console', 24],
  ['program', 30],
  ['terminal', 2],
];
// Milliseconds.
const gap = [500, 1300] as const;
// Requests from here on have no files.
const othersFrom = 5000;
const mostOpen = 60;
// Minutes; Slack's last retry of an event comes after six.
const quietWithin = 12;
const idleSeconds = 60;
const mostIdle = 0.03;
const mostGrowth = 60;
// Minutes of warm-up and life, for judging memory.
const watchedFor = (minutes: number) =>
  [Math.min(5, minutes / 3), Math.min(10, minutes / 3)] as const;

function chooseSurface(chance: Chance): Surface {
  let at = chance.whole(1, 100);
  for (const [surface, share] of shares) {
    at -= share;
    if (at <= 0) return surface;
  }
  return 'program';
}

function chooseDecision(surface: Surface, kind: Story['kind'], chance: Chance): Decision {
  const at = chance.next();
  if (surface === 'terminal' || surface === 'program') return 'approve';
  if (surface === 'console') return at < 0.9 ? 'approve' : 'reject';
  if (at < 0.1) return 'reject';
  if (at < 0.2) return 'approve twice';
  if (at < 0.4) return 'approve by word';
  return at < 0.5 && kind === 'files' ? 'change' : 'approve';
}

// Local surfaces are the operator's.
function chooseOrganisation(surface: Surface, chance: Chance): OrganisationName {
  if (surface === 'slack') return chance.pick(['acme', 'globex']);
  return surface === 'teams' ? 'contoso' : 'operator';
}

// Unique to one organisation and unread; every third is the reader's.
function findToRead(stories: Story[], records: Stage['records'], reader: OrganisationName) {
  const known = stories.filter(({ organisation }) => organisation === reader);
  const left = stories.filter(
    ({ name, kind, decision, plan }) =>
      kind === 'files' &&
      decision !== 'change' &&
      fileOf(name).startsWith('only') &&
      records.plans.get(plan ?? '')?.status === 'completed' &&
      !known.some(({ reads }) => reads === name),
  );
  const wantsOwn = known.filter(({ reads }) => reads !== null).length % 3 === 2;
  const found = left.findLast(({ organisation }) => (organisation === reader) === wantsOwn);
  return (found ?? left.at(-1))?.name ?? null;
}

/** @returns their stories, which continue */
async function ask(
  stage: Stage,
  programs: Programs,
  seed: number,
  endAt: number,
  stories: Story[],
  broken: string[],
) {
  const chance = chanceFrom(seed);
  const consoleDesk = openConsoleDesk(stage, chance);
  const slack: Partial<Record<OrganisationName, Desk>> = {
    acme: openSlackDesk(stage, 'acme', chance),
    globex: openSlackDesk(stage, 'globex', chance),
  };
  const desks: Record<Exclude<Surface, 'slack'>, Desk> = {
    teams: openTeamsDesk(stage, chance),
    console: consoleDesk,
    program: openProgramDesk(stage, chance),
    terminal: openTerminalDesk(stage, programs),
  };
  const isOpen = ({ outcome }: Story) => outcome === 'open';
  const deskOf = ({ surface, organisation }: Story): Desk => {
    const desk = surface === 'slack' ? slack[organisation] : desks[surface];
    if (desk === undefined) throw new Error(`${organisation} does not ask in ${surface}`);
    return desk;
  };
  const numbers = new Map<string, number>();
  while (Date.now() < endAt) {
    const surface = chooseSurface(chance);
    const organisation = chooseOrganisation(surface, chance);
    const inChat = surface === 'slack' || surface === 'teams';
    const chosen =
      surface === 'program'
        ? 'program'
        : chance.pick(inChat ? kinds : kinds.filter((one) => one !== 'say'));
    const reads = chosen === 'read' ? findToRead(stories, stage.records, organisation) : null;
    const kind = chosen === 'read' && reads === null ? 'files' : chosen;
    // Organisations must share file names.
    const series = `${organisation} ${kind === 'files'}`;
    const number = (numbers.get(series) ?? (kind === 'files' ? 0 : othersFrom)) + 1;
    numbers.set(series, number);
    const story = openStory({
      name: nameOf(digitIn(organisation), number),
      organisation,
      tenant: stage.organisations[digitIn(organisation)]?.tenant ?? null,
      surface,
      kind,
      decision: chooseDecision(surface, kind, chance),
      reads,
    });
    stories.push(story);
    play(story, deskOf(story), stage.records).catch((error: unknown) => {
      broken.push(
        `${story.name} (${surface}): ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    await pause(chance.whole(...gap));
    while (stories.filter(isOpen).length >= mostOpen && Date.now() < endAt) await pause(200);
  }
  return consoleDesk.streams;
}

// Until the server notices a dead connection.
const forgottenMs = keepaliveMs + 3000;

/**
 * @returns the maximum of pooled connections, and of listening ones beyond two per process and one per recent silence.
 * Killed processes' connections linger, so only those in two consecutive samples count.
 */
async function watch({ fleet, records, terminals, incidents }: Stage, isOver: () => boolean) {
  const most = { pooled: 0, beyond: 0 };
  let before = 0;
  while (!isOver()) {
    await fleet.look();
    const [now] = await records.query<{ pooled: number; listening: number }>(`
      select count(*) filter (where application_name not in ('countersign listener', 'soak') and application_name not like 'countersign presence%')::int as pooled,
        count(*) filter (where application_name = 'countersign listener')::int as listening
      from pg_stat_activity where datname = 'countersign' and backend_type = 'client backend'`);
    most.pooled = Math.max(most.pooled, now?.pooled ?? 0);
    const silences = incidents.all.filter(
      ({ kind, until }) =>
        kind.startsWith('network database: silence') && until > Date.now() - forgottenMs,
    );
    const allowed = (2 + silences.length) * (fleet.members.length + terminals.size);
    const beyond = (now?.listening ?? 0) - allowed;
    most.beyond = Math.max(most.beyond, Math.min(before, beyond));
    before = beyond;
    await pause(3000);
  }
  return most;
}

// As a share of a core.
async function measureIdle({ fleet, database }: Stage) {
  const postmaster = await database.readPid();
  const [before, server] = [await fleet.look(), await readTreeCpu(postmaster)];
  await pause(idleSeconds * 1000);
  const [after, serverNow] = [await fleet.look(), await readTreeCpu(postmaster)];
  const used = after.flatMap(({ name, pid, cpu }) => {
    const then = before.find((one) => one.pid === pid);
    return then === undefined ? [] : [{ name, share: (cpu - then.cpu) / idleSeconds }];
  });
  return { processes: used, server: (serverNow - server) / idleSeconds };
}

export async function runSoak(programs: Programs, options: SoakOptions): Promise<Report> {
  const { minutes, seed, folder, say } = options;
  const stage = await openStage(programs, seed);
  const { fleet, incidents } = stage;
  await fleet.settled();
  const tokens = await stage.join();
  say(`soak: ${fleet.members.length} processes are ready, the app is in both workspaces`);
  const began = Date.now();
  const endAt = began + minutes * 60_000;
  const stories: Story[] = [];
  const broken: string[] = [];
  let over = false;
  const attending = attend(stage, () => over);
  const watching = watch(stage, () => over);
  const waiting = followWaits(stage, stories, () => over);
  const isOpen = ({ outcome }: Story) => outcome === 'open';
  const telling = setInterval(() => {
    const open = stories.filter(isOpen).length;
    const late = Math.round((Date.now() - began) / 1000);
    say(
      `soak: ${late} s, ${stories.length} requests, ${open} open, ${incidents.all.length} incidents`,
    );
  }, 30_000);
  const [streams] = await Promise.all([
    ask(stage, programs, seed, endAt, stories, broken),
    makeTrouble(stage, seed, endAt),
  ]);
  const load = { until: Date.now() };
  await fleet.settled();
  const calmAt = Date.now();
  const quietBy = Date.now() + quietWithin * 60_000;
  const isQuiet = async () => !stories.some(isOpen) && (await readLeftovers(stage)).length === 0;
  while (Date.now() < quietBy && !(await isQuiet())) await pause(2000);
  const quietAfter = (Date.now() - load.until) / 1000;
  say(`soak: quiet after ${quietAfter.toFixed(0)} s`);
  over = true;
  clearInterval(telling);
  const [settled, most, waits] = [await attending, await watching, await waiting];
  const idle = await measureIdle(stage);
  const eventProblems = (await Promise.all(streams)).flat();
  const left = await readLeftovers(stage);
  const memory = {
    live: readGrowth(await readLiveMemory(stage.memory, fleet.lives), ...watchedFor(minutes)),
    resident: readGrowth(
      fleet.usages.map(({ name, pid, at, rss }) => ({ name, pid, at, bytes: rss })),
      ...watchedFor(minutes),
    ),
  };
  const separation = await judgeSeparation(stage, tokens, stories);
  const toldAt = Date.now();
  await fleet.end();
  const none = (name: string, problems: string[]): Verdict => ({
    name,
    ok: problems.length === 0,
    facts: problems.slice(0, 8).join('; '),
  });
  const verdicts = [
    judgeStories(stories),
    judgeAnswers(stories),
    await judgeRest(stage, stories, calmAt),
    none('every request could be played to its end', broken),
    separation,
    await judgePlans(stage),
    await judgeEffects(stage, stories),
    await judgeUnknowns({ ...stage, lives: fleet.lives }, settled),
    none('nothing is left behind: reservations, leases, events, messages, jobs', left),
    ...(await judgeChats(stage)),
    none('events over HTTP came once each and in order', eventProblems),
    // Shorter soaks say nothing about memory.
    ...(minutes >= 15
      ? [
          judgeMemory('what is left after a full collection', memory.live, mostGrowth),
          judgeMemory('resident memory', memory.resident, mostGrowth),
        ]
      : []),
    judgeConnections(most, fleet.members.length),
    judgeIdle(idle.processes, mostIdle),
    judgeLives(fleet.lives, incidents.all, toldAt),
  ];
  const report: Report = {
    seed,
    minutes,
    requests: countKinds(stories.map(({ surface }) => ({ kind: surface }))),
    counts: {
      ...(await readCounts(stage, idle.server, quietAfter)),
      'decided again': stories.reduce((sum, { decidedAgain }) => sum + decidedAgain, 0),
    },
    memory,
    latencies: await readLatencies(stage, stories),
    incidents: countKinds(incidents.all),
    began,
    calmAt,
    latest: findLatest(stories, waits, 10),
    verdicts,
    logged: await countLogLines(stage.logs),
  };
  await writeReport(folder, report, stories, incidents.all);
  say(drawReport(report));
  say(`soak: the report is in ${folder}`);
  await stage.close();
  return report;
}

async function readCounts(
  { records }: Stage,
  server: number,
  quietAfter: number,
): Promise<Record<string, number>> {
  const [counts] = await records.query<Record<string, number>>(`
    select (select count(*)::int from countersign.plans) as plans, (select count(*)::int from countersign.runs) as runs,
      (select count(*)::int from countersign.step_attempts) as attempts,
      (select count(*)::int from countersign.step_attempts where status = 'lost') as lost,
      (select count(*)::int from countersign.step_attempts where status = 'unknown') as unknown,
      (select count(*)::int from countersign.inbox) as events, (select count(*)::int from countersign.chat_posts) as posts,
      (pg_database_size(current_database()) / 1000000)::int as "MB of database"`);
  return {
    ...counts,
    'seconds until quiet': Math.round(quietAfter),
    '‰ of a core by the idle server': Math.round(server * 1000),
  };
}
