// Terminal commands, each with its own instance.
import { ask as askIn } from '#adapters/terminal/ask.ts';
import { build as buildIn } from '#adapters/terminal/build.ts';
import { findings } from '#adapters/terminal/findings.ts';
import { link } from '#adapters/terminal/link.ts';
import { memory } from '#adapters/terminal/memory.ts';
import { listPlans as plans } from '#adapters/terminal/plans.ts';
import { playbook } from '#adapters/terminal/playbook.ts';
import { policy } from '#adapters/terminal/policy.ts';
import { reminders } from '#adapters/terminal/reminders.ts';
import type { TerminalIo } from '#adapters/terminal/screen.ts';
import { CountersignError } from '#domain/errors.ts';
import { extensively, ReasoningLevel } from '#domain/plan/modes.ts';
import { type Config, loadConfig } from '../config.ts';
import { addressOf, createLinks } from '../links.ts';
import { createLog } from '../logging.ts';
import type { Instance } from '../wire/instance.ts';
import { endInTimeAfter, endSoon, untilSignal } from './until-signal.ts';

type CommonOptions = { json?: true; user: string };

/** @param work take jobs meanwhile */
async function inTerminal(
  work: 'when_alone' | false,
  command: (instance: Instance, config: Config, io: TerminalIo) => Promise<number>,
): Promise<void> {
  // Configuration errors first.
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

export function build(options: CommonOptions): Promise<void> {
  return inTerminal('when_alone', ({ service, vitals }, { timezone }, io) =>
    buildIn(service, { ...options, timezone, continues: () => vitals() === null }, io),
  );
}

const verbs = { findings, link, memory, plans, playbook, policy, reminders };

export type Verb = keyof typeof verbs;

/** @param options as the verb names them */
export function show(verb: Verb, options: object): Promise<void> {
  return inTerminal(false, ({ service }, { timezone }, io) =>
    // The command line declares each verb's options.
    verbs[verb](service, { ...options, timezone } as never, io),
  );
}
