// The command line: verbs and their options. Each verb's module loads only when it runs, so that `--help` stays fast.
import { inspect } from 'node:util';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { exitCodes } from '#adapters/terminal/exit-codes.ts';
import { benchNames } from '#bench/names.ts';
import { causeOf, isTransient } from '#db/transient.ts';
import { CountersignError } from '#domain/errors.ts';
import { Role } from '#domain/people/principal.ts';
import { FindingAction } from '#domain/plan/finding.ts';
import { warn } from './print.ts';
import { version } from './version.ts';

/** Loads the action's module when it runs. Commander's last argument, the command, is ignored. */
const runs =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<void>>) =>
  async (...args: A): Promise<void> =>
    (await load())(...args);
const terminal = () => import('./verbs/in-terminal.ts');

/** Runs an instance until it is stopped. */
const opens = (parts: { http: boolean; work: boolean }) => async () =>
  (await import('./verbs/keep-running.ts')).keepRunning(parts);

const program = new Command('countersign')
  .description(
    'Plans before it acts: nothing runs until you countersign exactly the plan you were shown.',
  )
  .version(version)
  .addHelpText(
    'after',
    '\nBegin with: countersign start\nThen, in another terminal: countersign ask "create notes/hello.md: Hello"\nOr step by step, by form: countersign build',
  )
  .showHelpAfterError(
    'countersign --help shows the commands, countersign <command> --help what each takes.',
  )
  // Gives usage errors their own exit code.
  .exitOverride();

program
  .command('start')
  .description('everything in one process: database, console, planner, executor')
  .action(opens({ http: true, work: true }));

program
  .command('gateway')
  .description('HTTP, console and chat platforms only')
  .action(opens({ http: true, work: false }));

program
  .command('worker')
  .description('planners and executors only')
  .action(opens({ http: false, work: true }));

program
  .command('migrate')
  .description('bring the database up to this version')
  .action(runs(async () => (await import('./verbs/migrate.ts')).run));

program
  .command('backup')
  .argument('<file>', 'where to write it')
  .description('write all of the database to a file, while the bot runs')
  .option('--workspace', 'with the files of the workspace and of the archive')
  .option(
    '--postgres <bin>',
    "the folder of another PostgreSQL's programs, for embedded data that it made",
  )
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/backup.ts')).backup));

program
  .command('restore')
  .argument('<file>', 'a backup')
  .description('fill an empty database from a backup; approved and running plans are paused')
  .option('--force', 'move existing data aside under another name')
  .option('--resume', 'continue approved and running plans instead of pausing them')
  .option('--workspace', 'with the files of the workspace and of the archive')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/backup.ts')).restore));

program
  .command('export')
  .argument('[plans...]', 'their ids')
  .description('plans with their whole record, as JSON lines')
  .option('--all', 'every plan')
  .action(runs(async () => (await import('./verbs/transfer.ts')).exportTo));

program
  .command('import')
  .argument('<file>', 'a file written by export')
  .description('propose the plans of an export; earlier approvals don’t count')
  .option('--ended', 'also plans that have ended')
  .option('--json', 'for machines')
  .addOption(new Option('--user <name>', 'who imports').default('local'))
  .action(runs(async () => (await import('./verbs/transfer.ts')).importFrom));

program
  .command('retention')
  .description('delete expired data; a running bot does so every hour')
  .option('--dry-run', 'only list what would be deleted')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/retention.ts')).run));

const user = new Option('--user <name>', 'who asks').default('local');

program
  .command('ask')
  .argument('<request>', 'what you want done, in your words')
  .description('plan, approve and watch in this terminal')
  .option('--yes', 'approve the plan as soon as it is shown')
  .option('--json', 'one JSON object a line; the last one is the outcome')
  .option('--extensive', 'plan in two layers, and take “all” and “every” literally')
  .option('--level <n>', 'how fine the steps are, 0 to 10')
  .addOption(user)
  .addHelpText('after', `\nExit codes: ${describeExitCodes()}`)
  .action(runs(async () => (await terminal()).ask));

program
  .command('build')
  .description('build a plan step by step: find an operation, fill in its form, propose')
  .addOption(user)
  .action(runs(async () => (await terminal()).build));

program
  .command('plans')
  .argument(
    '[plan]',
    'a plan to show in full, or stats: counts by status, and requests no tool could meet',
  )
  .description('plans that need you, run, failed or wait for others')
  .option('--find <words>', 'only plans with these words in their title, summary, id or requester')
  .option('--status <status>', 'one status, or all')
  .option('--trace', 'how the plan was made, stage by stage')
  .option('--dry-run', 'what each step would do today, without calling anything')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).plans));

program
  .command('findings')
  .argument('<plan>', 'the plan')
  .argument('[finding]', 'with --action: which one; default: the only open one')
  .description('list a plan’s problems, or settle one')
  .option('--action <action>', FindingAction.options.join(', '))
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).findings));

program
  .command('policy')
  .addArgument(
    new Argument('[verb]', 'what to do').choices(['show', 'set', 'reset']).default('show'),
  )
  .argument('[values...]', 'with set: conversation_style=concise probing_depth=1 …')
  .description('your preferences for questions, approvals and style')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).policy));

program
  .command('memory')
  .addArgument(
    new Argument('[verb]', 'what to do').choices(['list', 'keep', 'forget']).default('list'),
  )
  .argument('[words...]', 'with keep: what to keep; with forget: its number')
  .description('what Countersign remembers for you')
  .option('--name <name>', 'with keep: a name for the entry')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).memory));

program
  .command('playbook')
  .addArgument(
    new Argument('[verb]', 'what to do')
      .choices(['list', 'show', 'save', 'run', 'remove'])
      .default('list'),
  )
  .argument('[words...]', 'show NAME, save PLAN-… NAME, run NAME customer=ACME …, remove NAME')
  .description('saved plans that run again with other values')
  .option('--param <name=text...>', 'with save: a text of the plan that each run replaces')
  .option('--default <name=text...>', 'with save: one that a run may replace')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).playbook));

program
  .command('reminders')
  .addArgument(
    new Argument('[verb]', 'what to do').choices(['list', 'skip', 'change', 'end']).default('list'),
  )
  .argument('[id]', 'which one: REM-… or a plan that repeats')
  .description('your reminders and recurring steps: skip one time, change, end')
  .option('--when <when>', 'with change: every Tuesday at 9:00, tomorrow at 14:00')
  .option('--text <text>', 'with change: the new text')
  .option('--yes', 'with end: don’t ask for confirmation')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).reminders));

program
  .command('link')
  .argument('[code]', 'the code you were given elsewhere; or show, or remove')
  .description('link this account to Slack or Teams')
  .option('--json', 'for machines')
  .addOption(user)
  .action(runs(async () => (await terminal()).link));

const token = program
  .command('token')
  .description('personal tokens for the API: with a name, a role and an expiry');

token
  .command('create')
  .description('create a token; it is shown only once')
  .requiredOption('--name <name>', 'what it is for')
  .addOption(
    new Option('--role <role>', 'the most it may do').choices(Role.options).default('requester'),
  )
  .option('--days <n>', 'days until it expires; 0: never', '90')
  .option('--tenant <tenant>', 'only this organisation: slack:T0123ABCD, teams:GUID')
  .addOption(new Option('--user <name>', 'whose it is').default('local'))
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/token.ts')).create));

token
  .command('list')
  .description('every token that is not revoked')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/token.ts')).list));

token
  .command('revoke')
  .argument('<id>', 'the token, by its id in the list')
  .description('end a token at once')
  .action(runs(async () => (await import('./verbs/token.ts')).revoke));

const mcp = program.command('mcp').description('MCP servers, and signing in at hosted ones');

mcp
  .command('list')
  .description('the servers, and whether they answer')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/mcp.ts')).list));

mcp
  .command('login')
  .argument('<server>', 'its name under mcpServers')
  .description('sign in at a hosted server, for the whole instance')
  .option('--port <n>', 'port for the redirect on this machine', wholeNumber, 0)
  .action(runs(async () => (await import('./verbs/mcp.ts')).login));

mcp
  .command('logout')
  .argument('<server>', 'its name under mcpServers')
  .description('delete the sign-in at a hosted server')
  .action(runs(async () => (await import('./verbs/mcp.ts')).logout));

program
  .command('doctor')
  .description('check the setup and suggest fixes')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/doctor.ts')).run));

program
  .command('health')
  .description('check the running process with this configuration')
  .option('--ready', 'also check that it can serve requests')
  .option('--worker', 'the worker that answers on HEALTH_PORT')
  .action(runs(async () => (await import('./verbs/health.ts')).run));

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

const wholeNumbers = (text: string, before: number[] = []): number[] => [
  ...before,
  wholeNumber(text),
];

const audit = program.command('audit').description('verify or export the audit log');

audit
  .command('verify')
  .description('check the audit log against its seals')
  .option('--from <seal>', 'the first seal to check', wholeNumber)
  .option('--expect <hash>', 'a hash you kept elsewhere, which a seal must have')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/audit.ts')).verify));

audit
  .command('export')
  .description('the audit log as JSON lines')
  .option('--from <id>', 'the first row', wholeNumber)
  .action(runs(async () => (await import('./verbs/audit.ts')).exportRows));

const inbox = program
  .command('inbox')
  .description('events of chat platforms that could not be handled and were set aside');

inbox
  .command('list', { isDefault: true })
  .description('list the latest, with reasons')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/inbox.ts')).list));

inbox
  .command('retry')
  .argument('[ids...]', 'their ids in the list', wholeNumbers)
  .description('handle them again')
  .option('--all', 'every one')
  .action(runs(async () => (await import('./verbs/inbox.ts')).retry));

const webhooks = program.command('webhooks').description('webhook endpoints');

webhooks
  .command('list')
  .description('list endpoints and pending events')
  .option('--json', 'for machines')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).list));

webhooks
  .command('test')
  .argument('[endpoint]', 'its id; all by default')
  .description('send an event called webhook.test now')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).test));

webhooks
  .command('retry')
  .argument('[endpoint]', 'its id; all by default')
  .description('send abandoned and pending events again now')
  .action(runs(async () => (await import('./verbs/webhooks.ts')).retry));

program
  .command('bench')
  .addArgument(new Argument('[name...]', 'what to measure; all by default').choices(benchNames))
  .description('run benchmarks against bare pg-boss, on a temporary database')
  .option('--json', 'for machines')
  .option('--steps <n>', 'size; each benchmark has its own default', wholeNumber)
  .option('--runs <n>', 'rounds; the median counts', wholeNumber)
  .option('--folder <dir>', 'task graphs to run (dags), or scheduling instances (schedule)')
  .action(runs(async () => (await import('./verbs/bench.ts')).run));

/** `0 done, 1 failed, …, 4 needs person` */
function describeExitCodes(): string {
  return Object.entries(exitCodes)
    .map(([name, code]) => `${code} ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`)
    .join(', ');
}

// The reader is gone, as after `| head`: finish the work anyway.
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
