// Commands of the terminal: each has a house of its own, which joins the database of a bot that is running.
import type { TerminalIo } from '#adapters/terminal/screen.ts';
import { type Config, loadConfig } from '#config';
import { addressOf, createLinks } from '../links.ts';
import { createLog } from '../logging.ts';
import type { House } from '../wire.ts';
import { endInTimeAfter, untilSignal } from './until-signal.ts';

/** What people may say to each of them. */
export type Said = { json?: true; user: string };

/** @param work this process takes jobs while the command runs; the answer of `command` is the exit code */
export async function inTerminal(
  work: boolean,
  command: (house: House, config: Config, io: TerminalIo) => Promise<number>,
): Promise<void> {
  // A mistake in the settings is told before the house is loaded.
  const config = loadConfig(process.env, process.cwd());
  const { openHouse } = await import('../wire.ts');
  const log = createLog(config, true);
  const { chatLinkTo } = createLinks(config, () => addressOf(config, config.env.PORT));
  const interrupt = untilSignal();
  endInTimeAfter(interrupt);
  const house = await openHouse({ config, log, work, linkTo: () => null, chatLinkTo });
  try {
    process.exitCode = await command(house, config, {
      input: process.stdin,
      output: process.stdout,
      env: process.env,
      interrupt,
    });
  } finally {
    process.stdin.pause();
    await house.close();
  }
}
