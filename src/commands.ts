// The verbs of the command line. Wires the parts; holds no logic of its own.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import open from 'open';
import { ask } from '#adapters/terminal/ask.ts';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { link } from '#adapters/terminal/link.ts';
import { listPlans } from '#adapters/terminal/plans.ts';
import { policy } from '#adapters/terminal/policy.ts';
import type { TerminalIo } from '#adapters/terminal/screen.ts';
import { type Config, loadConfig } from '#config';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import { type BenchName, benchNames } from './bench/names.ts';
import { describeFindings, examine } from './doctor.ts';
import { createLinks } from './links.ts';
import { createLog } from './logging.ts';
import { openMigrated } from './open-database.ts';
import { addressOf, banner, serve, version } from './serve.ts';
import { trimMemory } from './trim-memory.ts';
import { type House, openHouse } from './wire.ts';

/** Milliseconds between looks whether `npm` is still there. */
const orphanCheckMs = 1000;

/**
 * Aborts at SIGINT or SIGTERM. A script that npm runs stands behind a shell that does not hand signals on; there the
 * loss of that shell counts as one.
 */
function untilSignal(): AbortSignal {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => abort.abort(name));
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      abort.abort('orphaned');
    }, orphanCheckMs).unref();
  }
  return abort.signal;
}

function waitFor(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Opens the console in a browser where a person sits in front of one. */
async function openConsole(config: Config, url: string): Promise<void> {
  const graphical =
    process.platform === 'darwin' ||
    process.platform === 'win32' ||
    (process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY) !== undefined;
  const wanted = process.stdout.isTTY && graphical && process.env.SSH_CONNECTION === undefined;
  if (!wanted || config.env.COUNTERSIGN_NO_BROWSER === true) return;
  await open(url).catch((error: unknown) =>
    console.error(
      `  The browser could not be opened (${errorMessage(error)}); open ${url} yourself.`,
    ),
  );
}

async function runServer(parts: { http: boolean; work: boolean }): Promise<void> {
  const began = performance.now();
  const config = loadConfig(process.env, process.cwd());
  const log = createLog(config, false);
  const signal = untilSignal();
  let url = addressOf(config, config.env.PORT);
  const links = createLinks(config, () => url);
  const house = await openHouse({ config, log, work: parts.work, ...links });
  try {
    if (parts.http) {
      const { app, port } = await serve(house, config, log);
      url = addressOf(config, port);
      const seconds = (performance.now() - began) / 1000;
      console.log(banner(house, config, url, seconds));
      await openConsole(config, url);
      trimMemory();
      await waitFor(signal);
      await app.close();
    } else {
      console.log(`Countersign ${version}: this worker is ready.`);
      trimMemory();
      await waitFor(signal);
    }
  } finally {
    await house.close();
  }
}

const io = (interrupt: AbortSignal): TerminalIo => ({
  input: process.stdin,
  output: process.stdout,
  env: process.env,
  interrupt,
});

/** Runs a command of the terminal on a house of its own; joins the database of a bot that is running. */
async function inTerminal(
  work: boolean,
  command: (house: House, config: Config, io: TerminalIo) => Promise<number>,
): Promise<void> {
  const config = loadConfig(process.env, process.cwd());
  const log = createLog(config, true);
  const { chatLinkTo } = createLinks(config, () => addressOf(config, config.env.PORT));
  const house = await openHouse({ config, log, work, linkTo: () => null, chatLinkTo });
  try {
    process.exitCode = await command(house, config, io(untilSignal()));
  } finally {
    process.stdin.pause();
    await house.close();
  }
}

const program = new Command('countersign')
  .description(
    'Plans before it acts: nothing runs until you countersign exactly the plan you were shown.',
  )
  .version(version)
  // Mistakes on the command line come back here, so that they have the exit code of one.
  .exitOverride();

program
  .command('start')
  .description('everything in one process: database, console, planner, executor')
  .action(() => runServer({ http: true, work: true }));

program
  .command('gateway')
  .description('HTTP, console and chat platforms only')
  .action(() => runServer({ http: true, work: false }));

program
  .command('worker')
  .description('planners and executors only')
  .action(() => runServer({ http: false, work: true }));

program
  .command('migrate')
  .description('bring the database up to this version')
  .action(async () => {
    const config = loadConfig(process.env, process.cwd());
    const place = await openMigrated(config, createLog(config, true));
    await place.close();
    const applied =
      place.applied.length === 0 ? 'was up to date' : `is now at ${place.applied.at(-1)}`;
    console.log(`The schema of ${place.words} ${applied}.`);
  });

const user = new Option('--user <name>', 'who asks').default('local');

program
  .command('ask')
  .argument('<request>', 'what you want done, in your words')
  .description('plan, approve and watch in this terminal')
  .option('--yes', 'approve the plan as soon as it is shown')
  .option('--json', 'one JSON object a line; the last one is the outcome')
  .addOption(user)
  .addHelpText('after', `\nExit codes: ${describeExitCodes()}`)
  .action((text: string, options: { yes?: true; json?: true; user: string }) =>
    inTerminal(true, ({ service }, { timezone }, terminal) =>
      ask(service, { ...options, text, timezone }, terminal),
    ),
  );

program
  .command('plans')
  .argument('[plan]', 'one plan in full')
  .description('what waits for a decision, what runs')
  .option('--status <status>', 'one status, or all')
  .option('--trace', 'how the plan came about, stage by stage')
  .option('--json', 'for machines')
  .addOption(user)
  .action(
    (
      id: string | undefined,
      options: { status?: string; trace?: true; json?: true; user: string },
    ) =>
      inTerminal(false, ({ service }, { timezone }, terminal) =>
        listPlans(service, { ...options, timezone, ...(id === undefined ? {} : { id }) }, terminal),
      ),
  );

program
  .command('policy')
  .addArgument(
    new Argument('[verb]', 'what to do').choices(['show', 'set', 'reset']).default('show'),
  )
  .argument('[values...]', 'with set: conversation_style=concise probing_depth=1 …')
  .description('how you like to be talked to and asked')
  .option('--json', 'for machines')
  .addOption(user)
  .action(
    (verb: 'show' | 'set' | 'reset', values: string[], options: { json?: true; user: string }) =>
      inTerminal(false, ({ service }, { timezone }, terminal) =>
        policy(service, { ...options, verb, values, timezone }, terminal),
      ),
  );

program
  .command('link')
  .argument('[code]', 'the code you were given elsewhere; or show, or remove')
  .description('be the same person here and in Slack or Teams')
  .option('--json', 'for machines')
  .addOption(user)
  .action((said: string | undefined, options: { json?: true; user: string }) =>
    inTerminal(false, ({ service }, { timezone }, terminal) =>
      link(service, { ...options, timezone, said: said ?? '' }, terminal),
    ),
  );

program
  .command('doctor')
  .description('look at each part and say what to do about it')
  .option('--json', 'for machines')
  .action(async ({ json }: { json?: true }) => {
    const config = loadConfig(process.env, process.cwd());
    const findings = await examine(config, createLog(config, true));
    console.log(json === true ? JSON.stringify(findings, null, 2) : describeFindings(findings));
    process.exitCode = findings.some(({ state }) => state === 'broken') ? 1 : 0;
  });

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

program
  .command('bench')
  .addArgument(new Argument('[name...]', 'what to measure; all by default').choices(benchNames))
  .description('measure this machine beside bare pg-boss, on a database made for it')
  .option('--json', 'for machines')
  .option('--steps <n>', 'how large; each has a size of its own by default', wholeNumber)
  .option('--runs <n>', 'rounds, of which the median counts', wholeNumber)
  .option('--folder <dir>', 'task graphs to run (dags)')
  .action(
    async (
      names: BenchName[],
      {
        json,
        steps,
        runs,
        folder,
      }: Record<'steps' | 'runs', number | undefined> & {
        json?: true;
        folder?: string;
      },
    ) => {
      const config = loadConfig(process.env, process.cwd());
      // Measuring is no part of a bot's start.
      const { bench } = await import('./bench/bench.ts');
      process.exitCode = await bench({
        names,
        json: json === true,
        steps,
        runs,
        folder,
        databaseUrl: config.env.DATABASE_URL,
        log: createLog({ ...config, env: { ...config.env, LOG_LEVEL: 'warn' } }, false),
        signal: untilSignal(),
        print: (text) => console.log(text),
        say: (text) => console.error(`bench: ${text}`),
      });
    },
  );

/** `0 done, 1 failed, …, 4 needs person` */
function describeExitCodes(): string {
  return Object.entries(exitCodes)
    .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`)
    .join(', ');
}

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return;
  }
  if (error instanceof CountersignError) console.error(`countersign: ${error.message}`);
  else console.error(error);
  process.exitCode = exitCodes.failed;
});
