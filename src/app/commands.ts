// The command line. Modules load when run, for a fast `--help`.
import { inspect } from 'node:util';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { benchNames } from '#bench/names.ts';
import { causeOf, isTransient } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import { Role } from '#domain/people/principal.ts';
import { FindingAction } from '#domain/plan/finding.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { warn } from './print.ts';
import type { Verb } from './verbs/in-terminal.ts';
import { version } from './version.ts';

const runs =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) =>
  async (...args: A): Promise<void> =>
    (await load())(...args);
const terminal = () => import('./verbs/in-terminal.ts');

const otherNames: Record<string, string> = { plan: 'id', code: 'text' };

/** Subcommands, the default first, and how many arguments each takes. */
const subcommands: Partial<Record<Verb, Record<string, number>>> = {
  policy: { show: 0, set: Number.POSITIVE_INFINITY, reset: 0 },
  memory: { list: 0, keep: Number.POSITIVE_INFINITY, forget: 1 },
  playbook: { list: 0, show: 1, save: 2, run: Number.POSITIVE_INFINITY, remove: 1 },
  reminders: { list: 0, skip: 1, change: 1, end: 1 },
};

function subcommandOf(verb: Verb): Argument {
  const names = Object.keys(subcommands[verb] ?? {});
  return new Argument('[verb]', 'subcommand').choices(names).default(names[0]);
}

const shows =
  (verb: Verb) =>
  async (...args: unknown[]): Promise<void> => {
    const [options, { registeredArguments }] = args.slice(-2) as [object, Command];
    const [subcommand, ...words] = args.slice(0, -2).flat();
    const most = subcommands[verb]?.[String(subcommand)];
    const extra = most === undefined ? [] : words.filter((word) => word !== undefined).slice(most);
    if (extra.length > 0)
      throw new CountersignError(
        'invalid_request',
        `${verb} ${subcommand} does not take ${quoteWords(extra.join(' '), 80)}. Run ${quoteWords(`countersign ${verb} --help`, 80)}.`,
      );
    const named = registeredArguments.map((argument, at) => {
      const name = argument.name();
      return [otherNames[name] ?? name, args[at]] as const;
    });
    const given = Object.fromEntries(named.filter(([, value]) => value !== undefined));
    await (await terminal()).show(verb, { ...options, ...given });
  };

const opens = (parts: { http: boolean; work: boolean }) => async () =>
  (await import('./verbs/keep-running.ts')).keepRunning(parts);

export const program = new Command('countersign')
  .description(
    'A bot that plans before it acts. Nothing runs until a person approves the exact plan shown.',
  )
  .version(version)
  .addHelpText(
    'after',
    '\nStart here: countersign start\nThen, in another terminal: countersign ask "create notes/hello.md: Hello"\nOr use forms: countersign build',
  )
  .showHelpAfterError(
    'Run “countersign --help” to list commands, or “countersign <command> --help” for one.',
  )
  // Usage errors have their own exit code.
  .exitOverride();

program
  .command('start')
  .description('run everything in one process')
  .action(opens({ http: true, work: true }));

program
  .command('gateway')
  .description('run only the API, the console and the chat platforms')
  .action(opens({ http: true, work: false }));

program
  .command('worker')
  .description('run only planners and executors')
  .action(opens({ http: false, work: true }));

program
  .command('migrate')
  .description('upgrade the database to this version')
  .action(runs(async () => (await import('./verbs/migrate.ts')).run));

program
  .command('backup')
  .argument('<file>', 'the file to write')
  .description('back up the whole database to a file, also while the bot runs')
  .option('--workspace', 'include the files of the workspace and the archive')
  .option('--postgres <bin>', 'the bin folder of the PostgreSQL that wrote the embedded data')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/backup.ts')).backup));

program
  .command('restore')
  .argument('<file>', 'the backup file')
  .description('restore a backup into an empty database; approved and running plans are paused')
  .option('--force', 'move existing data aside under another name')
  .option('--resume', 'continue approved and running plans instead of pausing them')
  .option('--workspace', 'include the files of the workspace and the archive')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/backup.ts')).restore));

program
  .command('export')
  .argument('[plans...]', 'plan IDs')
  .description('write plans and their whole history as JSON lines')
  .option('--all', 'export every plan')
  .action(runs(async () => (await import('./verbs/transfer.ts')).exportTo));

program
  .command('import')
  .argument('<file>', 'a file that export wrote')
  .description('propose the plans of an export here; their approvals don’t count')
  .option('--ended', 'include plans that have ended')
  .option('--json', 'print JSON')
  .addOption(new Option('--user <name>', 'the importing user').default('local'))
  .action(runs(async () => (await import('./verbs/transfer.ts')).importFrom));

program
  .command('retention')
  .description('delete expired data; a running bot does so every hour')
  .option('--dry-run', 'list the data without deleting it')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/retention.ts')).run));

const user = new Option('--user <name>', 'act as this user').default('local');

program
  .command('ask')
  .argument('<request>', 'what you want done')
  .description('request work, approve the plan and watch it run')
  .option('--yes', 'approve the plan as soon as it is shown')
  .option('--json', 'print JSON lines; the last one is the outcome')
  .option('--extensive', 'plan in two layers; take “all” and “every” literally')
  .option('--level <n>', 'level of detail of the steps, 0 to 10')
  .addOption(user)
  .addHelpText('after', `\nExit codes: ${describeExitCodes()}`)
  .action(runs(async () => (await terminal()).ask));

program
  .command('build')
  .description('build a plan from forms')
  .addOption(user)
  .action(runs(async () => (await terminal()).build));

program
  .command('plans')
  .alias('status')
  .argument('[plan]', 'a plan to show in full, or stats for counts and unmet requests')
  .description('list plans, or show one')
  .option('--find <words>', 'search title, summary, ID and requester')
  .option('--status <status>', 'only this status, or all')
  .option('--trace', 'show how the plan was made')
  .option('--dry-run', 'show what each step would do today; calls nothing')
  .option('--calendar', 'print its dates as a calendar file (.ics)')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('plans'));

program
  .command('findings')
  .argument('<plan>', 'plan ID')
  .argument('[finding]', 'with --action: finding ID; default: the only open one')
  .description('list problems of a plan, or settle one')
  .option('--action <action>', FindingAction.options.join(', '))
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('findings'));

program
  .command('policy')
  .addArgument(subcommandOf('policy'))
  .argument('[values...]', 'with set: conversation_style=concise probing_depth=1 …')
  .description('show or change your preferences')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('policy'));

program
  .command('memory')
  .addArgument(subcommandOf('memory'))
  .argument('[words...]', 'with keep: the text; with forget: the entry’s number')
  .description('list or change what Countersign remembers for you')
  .option('--name <name>', 'with keep: the entry’s name')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('memory'));

program
  .command('playbook')
  .addArgument(subcommandOf('playbook'))
  .argument('[words...]', 'show NAME, save PLAN-… NAME, run NAME customer=ACME …, remove NAME')
  .description('save plans and run them again with other values')
  .option('--param <name=text...>', 'with save: a text that each run must replace')
  .option('--default <name=text...>', 'with save: a text that a run may replace')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('playbook'));

program
  .command('reminders')
  .addArgument(subcommandOf('reminders'))
  .argument('[id]', 'REM-…, or the ID of a recurring plan')
  .description('list, skip, change or end your reminders and recurring steps')
  .option('--when <when>', 'with change: the new time, such as “every Tuesday at 9:00”')
  .option('--text <text>', 'with change: the new text')
  .option('--yes', 'with end: don’t ask for confirmation')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('reminders'));

program
  .command('link')
  .argument('[code]', 'the code from Slack or Teams, or show, or remove')
  .description('link this account to Slack or Teams')
  .option('--json', 'print JSON')
  .addOption(user)
  .action(shows('link'));

const token = program.command('token').description('manage personal tokens for the API');

token
  .command('create')
  .description('create a token and show it once')
  .requiredOption('--name <name>', 'the token’s name')
  .addOption(
    new Option('--role <role>', 'the token’s role').choices(Role.options).default('requester'),
  )
  .option('--days <n>', 'days until it expires, or 0 for never', '90')
  .option('--tenant <tenant>', 'limit it to an organisation: slack:T0123ABCD or teams:GUID')
  .addOption(new Option('--user <name>', 'the token’s owner').default('local'))
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/token.ts')).create));

token
  .command('list')
  .description('list active tokens')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/token.ts')).list));

token
  .command('revoke')
  .argument('<id>', 'token ID')
  .description('revoke a token')
  .action(runs(async () => (await import('./verbs/token.ts')).revoke));

const mcp = program.command('mcp').description('list MCP servers, and sign in to hosted ones');

mcp
  .command('list')
  .description('list servers and whether they answer')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/mcp.ts')).list));

mcp
  .command('login')
  .argument('<server>', 'its name in mcpServers')
  .description('sign in to a hosted server for the whole instance')
  .option('--port <n>', 'local port for the redirect', wholeNumber, 0)
  .action(runs(async () => (await import('./verbs/mcp.ts')).login));

mcp
  .command('logout')
  .argument('<server>', 'its name in mcpServers')
  .description('sign out of a hosted server')
  .action(runs(async () => (await import('./verbs/mcp.ts')).logout));

program
  .command('doctor')
  .description('check the setup and suggest fixes')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/doctor.ts')).run));

program
  .command('health')
  .description('check whether the process answers')
  .option('--ready', 'check whether it can do its work')
  .option('--worker', 'check the worker on HEALTH_PORT')
  .action(runs(async () => (await import('./verbs/health.ts')).run));

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Use a whole number from 1.');
}

const wholeNumbers = (text: string, before: number[] = []): number[] => [
  ...before,
  wholeNumber(text),
];

const audit = program.command('audit').description('verify or export the audit log');

audit
  .command('verify')
  .description('check the audit log against its seals')
  .option('--from <seal>', 'number of the first seal to check', wholeNumber)
  .option('--expect <hash>', 'a hash that one of the seals must have')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/audit.ts')).verify));

audit
  .command('export')
  .description('write the audit log as JSON lines')
  .option('--from <id>', 'ID of the first row', wholeNumber)
  .action(runs(async () => (await import('./verbs/audit.ts')).exportRows));

const inbox = program.command('inbox').description('list or retry chat events that failed');

inbox
  .command('list', { isDefault: true })
  .description('list the latest with their errors')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/inbox.ts')).list));

inbox
  .command('retry')
  .argument('[ids...]', 'event IDs', wholeNumbers)
  .description('handle events again')
  .option('--all', 'retry every event')
  .action(runs(async () => (await import('./verbs/inbox.ts')).retry));

const webhooks = program.command('webhooks').description('list, test or retry webhook endpoints');

webhooks
  .command('list')
  .description('list endpoints and pending events')
  .option('--json', 'print JSON')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).list));

webhooks
  .command('test')
  .argument('[endpoint]', 'endpoint ID; default: all')
  .description('send a webhook.test event')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).test));

webhooks
  .command('retry')
  .argument('[endpoint]', 'endpoint ID; default: all')
  .description('send abandoned and pending events now')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).retry));

program
  .command('bench')
  .addArgument(new Argument('[name...]', 'benchmarks to run; default: all').choices(benchNames))
  .description('run benchmarks on a temporary database')
  .option('--json', 'print JSON')
  .option('--steps <n>', 'size; the default depends on the benchmark', wholeNumber)
  .option('--runs <n>', 'rounds; the median is reported', wholeNumber)
  .option('--folder <dir>', 'folder with task graphs (dags) or scheduling instances (schedule)')
  .action(runs(async () => (await import('./verbs/bench.ts')).run));

/** `0 done, 1 failed, …, 4 needs a person` */
function describeExitCodes(): string {
  return Object.entries(exitCodes)
    .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`)
    .join(', ');
}

export function runCommandLine(): void {
  // The reader is gone, as after `| head`: finish anyway.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  program.parseAsync().catch((error: unknown) => {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
      return;
    }
    const misused = error instanceof CountersignError && error.code === 'invalid_request';
    if (error instanceof CountersignError) warn(`countersign: ${error.message}`);
    else if (isTransient(error))
      warn(`countersign: The database does not answer (${causeOf(error)}). Try again.`);
    else warn(inspect(error));
    process.exitCode = misused ? exitCodes.usage : exitCodes.failed;
  });
}
