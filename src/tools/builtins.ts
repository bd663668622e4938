// The built-in operations, as far as this process has what they need.
import type { Clock } from '#contracts/clock.ts';
import type { Settings } from '#contracts/settings.ts';
import type { TextModel } from '#contracts/text-model.ts';
import type { Operation } from '#contracts/tool.ts';
import { createCalendarOperations } from './calendar/operations.ts';
import { createCalendarPlaces } from './calendar/places.ts';
import { createChatPost } from './chat.ts';
import { createControlOperations } from './control.ts';
import { createAddressRules } from './http/addresses.ts';
import type { Lookup } from './http/guarded-agent.ts';
import { openWebAtFirstUse } from './http/open-web.ts';
import { createHttpOperations } from './http/operations.ts';
import { createHumanTask } from './human-task.ts';
import type { ChatPort, ReminderPort, TimePort } from './ports.ts';
import { createReminderSet } from './reminder.ts';
import { createTextOperations } from './text.ts';
import { createDelete } from './workspace/delete.ts';
import { createList } from './workspace/list.ts';
import { createMove } from './workspace/move.ts';
import { createRead } from './workspace/read.ts';
import { openSandbox } from './workspace/sandbox.ts';
import { createWrite } from './workspace/write.ts';

export type BuiltinOptions = {
  workspaceDir: string;
  baseDir: string;
  http: Settings['http'];
  calendars: Settings['calendars'];
  times: TimePort;
  clock: Clock;
  /** Without a port, the operations that need it are not offered. */
  chat?: ChatPort | undefined;
  reminders?: ReminderPort | undefined;
  textModel?: TextModel | undefined;
  lookup?: Lookup | undefined;
  /** Operations that only this process has. */
  extraOperations?: Operation[] | undefined;
};

/** Tools of this instance; no MCP server may take their names. `plan` is what planners call to propose. */
export const builtinTools = [
  'workspace',
  'http',
  'chat',
  'human',
  'reminder',
  'calendar',
  'text',
  'control',
  'plan',
] as const;

/** Every built-in operation, and how to end what they hold open. */
export async function createBuiltins(
  options: BuiltinOptions,
): Promise<{ operations: Operation[]; close(): Promise<void> }> {
  const sandbox = await openSandbox(options.workspaceDir);
  const rules = createAddressRules(options.http.allowPrivate);
  const web = openWebAtFirstUse({ http: options.http, rules, lookup: options.lookup });
  const places = createCalendarPlaces(options, sandbox, web);
  const { chat, reminders, textModel, times, clock } = options;
  const operations = [
    createList(sandbox),
    createRead(sandbox),
    createWrite(sandbox),
    createMove(sandbox),
    createDelete(sandbox),
    ...createHttpOperations(web, rules),
    ...(chat === undefined ? [] : [createChatPost(chat)]),
    createHumanTask(),
    ...(reminders === undefined ? [] : [createReminderSet(reminders, times, clock)]),
    ...createCalendarOperations(places, Object.keys(options.calendars), times, clock),
    ...(textModel === undefined ? [] : createTextOperations(textModel)),
    ...createControlOperations(),
    ...(options.extraOperations ?? []),
  ];
  return { operations, close: web.close };
}
