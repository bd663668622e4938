// `countersign build`: builds a plan step by step.
import { viewBuild } from '#cards/build-view.ts';
import { commandName } from '#domain/command-name.ts';
import { type Build, isRepeatRule, repeatRules } from '#domain/plan/build.ts';
import type { Service } from '#domain/service.ts';
import { runSession, sayFarewell } from './ask.ts';
import { attend } from './attend.ts';
import { drawChoices, readChoice } from './choices.ts';
import { drawLines } from './draw.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import {
  addStep,
  askLine,
  change,
  editStep,
  fillStep,
  Quit,
  runOrReport,
  say,
  sayItem,
  sayList,
  viewerOf,
} from './fill-step.ts';
import type { TerminalIo } from './screen.ts';
import { openSession, type Session } from './session.ts';

type BuildOptions = {
  user: string;
  timezone: string;
  continues?: () => boolean;
  poll_ms?: number;
};

/** Last step by default. */
const choices = [
  ['[a]dd', 'add'],
  ['[e]dit', 'edit'],
  ['[d]rop', 'remove'],
  ['[u]ndo', 'undo'],
  ['[t]itle', 'title'],
  ['[w]hen', 'repeat'],
  ['[p]ropose', 'propose'],
  ['[q]uit', 'quit'],
] as const;

/** @returns an exit code */
export async function build(
  service: Service,
  options: BuildOptions,
  io: TerminalIo,
): Promise<number> {
  const session = openSession(service, { ...options, text: '' }, io);
  if (!session.interactive) {
    session.close();
    const words = `${commandName} build needs an interactive terminal. In a script, use ${commandName} ask "…".`;
    session.say(...drawLines(words, session.screen));
    return exitCodes.usage;
  }
  return runSession(session, buildPlan, (_, code) =>
    session.plan_id === null ? '' : sayFarewell(session, code),
  );
}

async function buildPlan(session: Session): Promise<ExitCode> {
  try {
    return await continueBuild(session);
  } catch (error) {
    if (!(error instanceof Quit)) throw error;
    session.say('');
    say(session, `Your plan is saved for a week. To continue, run ${commandName} build.`);
    return session.signal.aborted ? exitCodes.interrupted : exitCodes.noPlan;
  }
}

async function continueBuild(session: Session): Promise<ExitCode> {
  const { service, actor } = session;
  let { step, plan } = await service.readBuild(viewerOf(session), actor);
  if (step === null && plan.steps.length === 0) {
    say(session, 'Build a plan step by step. Nothing runs before you approve it. Ctrl-C leaves.');
    await runOrReport(session, () => addStep(session));
  } else if (step !== null) await runOrReport(session, () => fillStep(session, false));
  for (;;) {
    ({ step, plan } = await showReview(session));
    const none = plan.steps.length === 0;
    const line = await askLine(session, drawChoices(none ? [choices[0], choices[7]] : choices));
    const id = /\d{1,2}$/.exec(line)?.[0] ?? '';
    const word = line.slice(0, line.length - id.length).trim();
    const at = plan.steps[Number(id) - 1]?.id ?? plan.steps.at(-1)?.id ?? '';
    switch (readChoice(choices, word)) {
      case 'add':
        await runOrReport(session, () => addStep(session));
        break;
      case 'edit':
        await runOrReport(session, () => editStep(session, at));
        break;
      case 'remove':
        await change(session, { kind: 'remove', step: at });
        break;
      case 'undo':
        await change(session, { kind: 'undo' });
        break;
      case 'title':
        await change(session, { kind: 'terms', title: await askLine(session, '  Title › ') });
        break;
      case 'repeat':
        await askRepeats(session);
        break;
      case 'propose': {
        const proposed = none ? null : await propose(session);
        if (proposed !== null) return proposed;
        break;
      }
      case 'quit':
        throw new Quit();
      default:
        say(session, 'Type a letter; edit and drop take the number of a step: e 1.');
    }
  }
}

async function propose(session: Session): Promise<ExitCode | null> {
  let id = '';
  const ok = await runOrReport(session, async () => {
    ({ id } = await session.service.proposeBuild({}, viewerOf(session), session.actor));
  });
  if (!ok) return null;
  session.plan_id = id;
  return attend(session, id);
}

async function showReview(session: Session): Promise<Build> {
  const preview = await session.service.previewBuild(viewerOf(session), session.actor);
  const { steps, problems, title, repeats, from } = viewBuild(preview);
  session.say('');
  if (steps.length === 0) say(session, 'Nothing in the plan yet.');
  else {
    if (title !== '') say(session, title);
    for (const { label, headline, note } of steps) sayItem(session, label, headline, note);
    if (repeats !== '')
      say(session, `Runs ${repeatRules[repeats].toLowerCase()}, first on ${from}.`);
  }
  for (const problem of problems) say(session, `△ ${problem}`);
  session.say('');
  return preview.build;
}

async function askRepeats(session: Session): Promise<void> {
  const rules = Object.keys(repeatRules).filter(isRepeatRule);
  sayList(
    session,
    rules.map((rule) => ({ label: repeatRules[rule] })),
  );
  const repeats = rules[Number(await askLine(session, '  Number › ')) - 1] ?? '';
  let from = '';
  for (;;) {
    if (repeats !== '')
      from = await askLine(session, '  First run (tomorrow at 9:00, 2026-12-03 09:00) › ');
    const { problems } = await change(session, { kind: 'terms', repeats, from });
    if (problems.length === 0) return;
    say(session, problems.map(({ message }) => message).join(' '));
  }
}
