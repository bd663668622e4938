// The built-in operations that this process can offer.
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Settings } from '#domain/settings.ts';
import type { TextModel } from '#domain/text-model.ts';
import type { Operation } from '#domain/tool.ts';
import { openIcsWork } from './calendar/ics-work.ts';
import { createCalendarOperations } from './calendar/operations.ts';
import { type CalendarSettings, createCalendarPlaces } from './calendar/places.ts';
import { defineOperation, text } from './define-operation.ts';
import { createFinalise } from './draft/finalise.ts';
import { createGather, createNarrow } from './draft/narrow.ts';
import { systemCode, throwIfAborted, toAbortError } from './failures.ts';
import { createAddressRules } from './http/addresses.ts';
import type { Lookup } from './http/guarded-agent.ts';
import { openWebAtFirstUse } from './http/open-web.ts';
import { createHttpOperations } from './http/operations.ts';
import { createHumanConfirm, createHumanTask } from './human-task.ts';
import { toLine } from './limit-output.ts';
import { describeOutput } from './output-schema.ts';
import { createPlanOperations } from './plan-operations.ts';
import type {
  ChatPort,
  DraftPort,
  FilePort,
  OwnCalendar,
  PlanPort,
  ReminderPort,
} from './ports.ts';
import { createReminderSet } from './reminder.ts';
import { createReport } from './report.ts';
import { createTextOperations } from './text.ts';
import { createCopy } from './workspace/copy.ts';
import { createEdit } from './workspace/edit.ts';
import { withFileErrors } from './workspace/file-errors.ts';
import { inspectDelete } from './workspace/inspect.ts';
import { createList, suggestPaths } from './workspace/list.ts';
import { whileLocked } from './workspace/lock.ts';
import { createMove } from './workspace/move.ts';
import { previewTarget } from './workspace/preview.ts';
import { createRead } from './workspace/read.ts';
import { createReadTable } from './workspace/read-table.ts';
import {
  checkPaths,
  type HeldPath,
  openSandbox,
  pinFolder,
  type Sandbox,
  toWorkspacePath,
} from './workspace/sandbox.ts';
import { createSaveAttached } from './workspace/save-attached.ts';
import { createSearch } from './workspace/search.ts';
import { createWrite } from './workspace/write.ts';

export type BuiltinOptions = {
  baseDir: string;
  http: Settings['http'];
  clock: Clock;
  chat?: ChatPort | undefined;
  files?: FilePort | undefined;
  reminders?: ReminderPort | undefined;
  plans?: PlanPort | undefined;
  textModel?: TextModel | undefined;
  drafts?: DraftPort | undefined;
  lookup?: Lookup | undefined;
  ownCalendar?: OwnCalendar | undefined;
  extraOperations?: Operation[] | undefined;
};

/** No MCP server may take these. `plan` is the planners' tool for proposing. */
export const builtinTools = [
  'workspace',
  'http',
  'chat',
  'human',
  'reminder',
  'calendar',
  'text',
  'draft',
  'control',
  'plan',
] as const;

export type BuiltinPlace = { folder: string } & Pick<CalendarSettings, 'calendars' | 'tenant'>;

const peopleWaitMs = 3000;

export function createBuiltins(options: BuiltinOptions): {
  openAt(place: BuiltinPlace): Operation[];
  close(): Promise<void>;
} {
  const { baseDir, chat, files, reminders, plans, textModel, drafts, clock, ownCalendar } = options;
  const rules = createAddressRules(options.http.allowPrivate);
  const { http, lookup } = options;
  const web = openWebAtFirstUse({ http, rules, lookup });
  // People choose these addresses, and planning waits for them.
  const webOfPeople = openWebAtFirstUse({
    http: { ...http, timeout_ms: Math.min(http.timeout_ms, peopleWaitMs) },
    rules: createAddressRules([]),
    lookup,
  });
  const calendarWork = openIcsWork();
  const openAt = ({ folder, calendars, tenant }: BuiltinPlace): Operation[] => {
    const sandbox = openSandbox(folder);
    const suggest = suggestPaths(sandbox);
    const webs = { web, webOfPeople };
    const from = { calendars, tenant, baseDir, ownCalendar };
    const places = createCalendarPlaces(from, sandbox, webs);
    return [
      ...[
        createList(sandbox),
        createRead(sandbox),
        createReadTable(sandbox),
        createSearch(sandbox),
        createWrite(sandbox),
        createEdit(sandbox),
        createCopy(sandbox),
        createMove(sandbox),
        createDelete(sandbox),
        ...(files === undefined ? [] : [createSaveAttached(sandbox, files)]),
      ].map((operation) => ({ ...operation, suggest })),
      ...createHttpOperations(web, rules, options.http.inspect),
      ...(chat === undefined ? [] : [createChatPost(chat)]),
      createHumanTask(),
      createHumanConfirm(),
      ...(reminders === undefined ? [] : [createReminderSet(reminders, clock)]),
      ...createCalendarOperations(places, Object.keys(calendars), calendarWork, clock),
      ...(textModel === undefined ? [] : createTextOperations(textModel)),
      ...(drafts === undefined
        ? []
        : [createGather(drafts), createNarrow(drafts), createFinalise(drafts, textModel)]),
      ...createControlOperations(clock),
      createReport(),
      ...(plans === undefined ? [] : createPlanOperations(plans)),
      ...(options.extraOperations ?? []),
    ];
  };
  const close = async () => {
    await Promise.all([web.close(), webOfPeople.close(), calendarWork.close()]);
  };
  return { openAt, close };
}

// Once per step, however often the step runs.
function createChatPost(chat: ChatPort): Operation {
  return defineOperation({
    tool: 'chat',
    operation: 'post',
    description: 'Post a message here, in a channel, or to a person.',
    effect: 'idempotent',
    destructive: false,
    targetArgument: 'conversation',
    schema: z.strictObject({
      text: text(20_000, 'What to say.'),
      conversation: text(
        300,
        'A channel (#ops), a person (Ana Weiss), or a link to a thread; left out: where the plan was asked for.',
      ).optional(),
    }),
    output: describeOutput(z.strictObject({ conversation: z.string() })),
    async run(args, context) {
      throwIfAborted(context.signal);
      const conversation = args.conversation ?? context.conversation;
      if (conversation === null)
        throw new CountersignError(
          'invalid_arguments',
          'This plan has no conversation to post in; name one in "conversation".',
        );
      const { planId, stepId } = context;
      await chat.post({
        conversation,
        from: context.conversation,
        user: context.user,
        step: planId === null || stepId === null ? null : { planId, stepId },
        text: args.text,
        once: context.idempotencyKey,
      });
      return { summary: `Posted: ${toLine(args.text, 120)}`, data: { conversation } };
    },
  });
}

const Deadline = z.object({ seconds: z.number(), until: z.number() });
/** Longer waits become a deadline in the database. */
const longWaitSeconds = 60;

function createControlOperations(clock: Clock): Operation[] {
  const waited = (seconds: number) => ({ summary: `Waited ${seconds} s.`, data: { seconds } });
  return [
    defineOperation({
      tool: 'control',
      operation: 'noop',
      description: 'Do nothing and succeed.',
      seldom: true,
      effect: 'read',
      destructive: false,
      schema: z.looseObject({}),
      output: describeOutput(z.null()),
      async run() {
        return { summary: 'Did nothing.', data: null };
      },
    }),
    defineOperation({
      tool: 'control',
      operation: 'wait',
      description: 'Wait for a number of seconds.',
      effect: 'read',
      destructive: false,
      targetArgument: 'seconds',
      schema: z.strictObject({
        seconds: z.number().min(0).max(86_400).describe('How long, at most a day.'),
      }),
      output: describeOutput(z.strictObject({ seconds: z.number() })),
      expectedSeconds: ({ seconds }) => (typeof seconds === 'number' ? seconds : 0),
      async run({ seconds }, { signal }) {
        if (seconds >= longWaitSeconds)
          return {
            later: JSON.stringify({ seconds, until: clock.now().getTime() + seconds * 1000 }),
            checkAfterMs: seconds * 1000,
          };
        try {
          await wait(seconds * 1000, undefined, { signal });
        } catch (error) {
          throw signal.aborted ? toAbortError(signal) : error;
        }
        return waited(seconds);
      },
      async checkLater(handle) {
        const { seconds, until } = Deadline.parse(JSON.parse(handle));
        const dueInMs = until - clock.now().getTime();
        if (dueInMs > 0) return { state: 'running', dueInMs };
        return { state: 'done', output: waited(seconds) };
      },
    }),
  ];
}

function createDelete(sandbox: Sandbox): Operation {
  return defineOperation({
    tool: 'workspace',
    operation: 'delete',
    description: 'Delete a file for good, or a folder with recursive.',
    effect: 'write',
    destructive: true,
    targetArgument: 'path',
    schema: z.strictObject({
      path: text(2000, 'What to delete.'),
      recursive: z.boolean().default(false).describe('Delete a folder with all that is in it.'),
    }),
    output: describeOutput(z.strictObject({ path: z.string() })),
    check: checkPaths('path'),
    inspect: inspectDelete(sandbox),
    preview: previewTarget(sandbox, 'path'),
    run: (args, { signal }) =>
      withFileErrors(args.path, async () => {
        if (toWorkspacePath(args.path) === '.')
          throw new CountersignError(
            'invalid_arguments',
            'The workspace itself cannot be deleted.',
          );
        const real = await sandbox.root();
        return sandbox.withPlace(args.path, { follow: false }, (place) =>
          whileLocked(place, signal, () => remove(place, real, args.recursive, signal)),
        );
      }),
  });
}

async function remove(place: HeldPath, root: string, recursive: boolean, signal: AbortSignal) {
  const { at, path } = place;
  const info = await lstat(at);
  const folder = { at, real: join(root, path), path };
  if (info.isDirectory() && recursive) await removeTree(folder, signal);
  else if (info.isDirectory()) await removeFolder(folder);
  else await unlink(at);
  await place.syncFolder();
  return { summary: `Deleted ${info.isDirectory() ? 'the folder ' : ''}${path}.`, data: { path } };
}

/** `at`: via its pinned parent; `path`: as people write it. */
type Folder = { at: string; real: string; path: string };

async function removeFolder({ at, path }: Folder): Promise<void> {
  try {
    await rmdir(at);
  } catch (error) {
    if (systemCode(error) !== 'ENOTEMPTY') throw error;
    throw new CountersignError(
      'tool_failed',
      `${path} is a folder that isn't empty. Set recursive to true to delete its contents too.`,
      { cause: error },
    );
  }
}

/** Entry by entry, so that it can be aborted. Links are not followed. */
async function removeTree({ at, real, path }: Folder, signal: AbortSignal): Promise<void> {
  const pin = await pinFolder(at, real, path);
  try {
    for (const entry of await readdir(pin.at, { withFileTypes: true })) {
      throwIfAborted(signal);
      const { name } = entry;
      const inside = { at: join(pin.at, name), real: join(real, name), path: `${path}/${name}` };
      if (entry.isDirectory()) await removeTree(inside, signal);
      else await unlink(inside.at);
    }
  } finally {
    await pin.handle.close();
  }
  await rmdir(at);
}
