// Terminal commands. Each opens its own instance on the database of a running bot.
import { ask as askIn } from '#adapters/terminal/ask.ts';
import { build as buildIn } from '#adapters/terminal/build.ts';
import { findings as findingsIn } from '#adapters/terminal/findings.ts';
import { link as linkIn } from '#adapters/terminal/link.ts';
import { memory as memoryIn } from '#adapters/terminal/memory.ts';
import { listPlans } from '#adapters/terminal/plans.ts';
import { playbook as playbookIn } from '#adapters/terminal/playbook.ts';
import { policy as policyIn } from '#adapters/terminal/policy.ts';
import { reminders as remindersIn } from '#adapters/terminal/reminders.ts';
import type { TerminalIo } from '#adapters/terminal/screen.ts';
import { CountersignError } from '#domain/errors.ts';
import { extensively, ReasoningLevel } from '#domain/plan/modes.ts';
import { type Config, loadConfig } from '../config.ts';
import { addressOf, createLinks } from '../links.ts';
import { createLog } from '../logging.ts';
import type { Instance } from '../wire/instance.ts';
import { endInTimeAfter, endSoon, untilSignal } from './until-signal.ts';

/** Options of all of them. */
type CommonOptions = { json?: true; user: string };

/** `command` returns the exit code. @param work whether this process takes jobs meanwhile */
async function inTerminal(
  work: 'when_alone' | false,
  command: (instance: Instance, config: Config, io: TerminalIo) => Promise<number>,
): Promise<void> {
  // Report configuration errors before loading the instance.
  const config = loadConfig(process.env, process.cwd());
  const { openInstance } = await import('../wire.ts');
  const log = createLog(config, true);
  const { chatLinkTo } = createLinks(config, () => addressOf(config, config.env.PORT));
  const interrupt = untilSignal();
  endInTimeAfter(interrupt);
  const instance = await openInstance({ config, log, work, linkTo: () => null, chatLinkTo });
  try {
    process.exitCode = await command(instance, config, {
      input: process.stdin,
      output: process.stdout,
      env: process.env,
      interrupt,
    });
  } finally {
    process.stdin.pause();
    await instance.close();
    endSoon();
  }
}

/** @throws `invalid_request` */
function readLevel(input: string): number {
  const level = ReasoningLevel.safeParse(Number(input));
  if (level.success && input.trim() !== '') return level.data;
  throw new CountersignError('invalid_request', '--level must be a whole number from 0 to 10.');
}

/** Plans, approves and follows in this terminal. */
export function ask(
  text: string,
  {
    extensive,
    level,
    ...options
  }: CommonOptions & { yes?: true; extensive?: true; level?: string },
): Promise<void> {
  const modes = {
    ...(extensive === true ? extensively : {}),
    ...(level === undefined ? {} : { reasoning_level: readLevel(level) }),
  };
  return inTerminal('when_alone', ({ service, vitals }, { timezone }, io) =>
    askIn(service, { ...options, text, timezone, modes, continues: () => vitals() === null }, io),
  );
}

/** Builds a plan by form. */
export function build(options: CommonOptions): Promise<void> {
  return inTerminal('when_alone', ({ service, vitals }, { timezone }, io) =>
    buildIn(service, { ...options, timezone, continues: () => vitals() === null }, io),
  );
}

/** Lists plans: waiting for the reader, running, failed, and others'; with an ID, shows one in full. */
export function plans(
  id: string | undefined,
  options: CommonOptions & { status?: string; find?: string; trace?: true; dryRun?: true },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    listPlans(service, { ...options, timezone, ...(id === undefined ? {} : { id }) }, io),
  );
}

/** Lists a plan's findings; with an action, settles one. */
export function findings(
  id: string,
  finding: string | undefined,
  options: CommonOptions & { action?: string },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    findingsIn(
      service,
      { ...options, timezone, id, ...(finding === undefined ? {} : { finding }) },
      io,
    ),
  );
}

/** Preferences on tone and questions. */
export function policy(
  verb: 'show' | 'set' | 'reset',
  values: string[],
  options: CommonOptions,
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    policyIn(service, { ...options, verb, values, timezone }, io),
  );
}

/** A person's memory. */
export function memory(
  verb: 'list' | 'keep' | 'forget',
  words: string[],
  options: CommonOptions & { name?: string },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    memoryIn(service, { ...options, verb, words, timezone }, io),
  );
}

/** Saved plans: listed, saved, proposed again. */
export function playbook(
  verb: 'list' | 'show' | 'save' | 'run' | 'remove',
  words: string[],
  options: CommonOptions & { param?: string[]; default?: string[] },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    playbookIn(service, { ...options, verb, words, timezone }, io),
  );
}

/** Reminders and recurring steps. */
export function reminders(
  verb: 'list' | 'skip' | 'change' | 'end',
  id: string | undefined,
  options: CommonOptions & { when?: string; text?: string; yes?: true },
): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    remindersIn(service, { ...options, verb, id, timezone }, io),
  );
}

/** Links this account to one on a chat platform. */
export function link(text: string | undefined, options: CommonOptions): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    linkIn(service, { ...options, timezone, text: text ?? '' }, io),
  );
}
