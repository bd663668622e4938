// Commands of the terminal: each has an instance of its own, which joins the database of a bot that is running.
import type { TerminalIo } from '#adapters/terminal/screen.ts';
import { type Config, loadConfig } from '#config';
import { addressOf, createLinks } from '../links.ts';
import { createLog } from '../logging.ts';
import type { Instance } from '../wire.ts';
import { endInTimeAfter, untilSignal } from './until-signal.ts';

/** What people may say to each of them. */
export type Said = { json?: true; user: string };

/** @param work this process takes jobs while the command runs; the answer of `command` is the exit code */
export async function inTerminal(
  work: boolean,
  command: (instance: Instance, config: Config, io: TerminalIo) => Promise<number>,
): Promise<void> {
  // A mistake in the settings is told before the instance is loaded.
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
  }
}
