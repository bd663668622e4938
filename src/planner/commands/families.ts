// Kinds of work people ask for, and the operation of the manifest that does each. No operation, no step: nothing is invented.
import { isConfirmation } from '#domain/plan/yes-no.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { findField, type Role, readFields, splitName } from './schema-fields.ts';

type Need = {
  /** What it is called where no operation does it: "No connected tool can write files". */
  wanted: string;
  verbs: string[];
  /** One of these must be in the operation's name, its tool's name or the beginning of its description. */
  nouns: string[];
  /** Arguments it must take; nothing else may be required. */
  roles: Role[];
  /** Arguments it may also require. */
  may: Role[];
  effect: 'read' | 'change' | 'any';
};

/** @param words the verbs, and behind a colon the nouns */
function need(
  effect: Need['effect'],
  wanted: string,
  words: string,
  roles: Role[],
  may: Role[] = [],
): Need {
  const [verbs = [], nouns = []] = words.split(': ').map((part) => part.split(' '));
  return { effect, wanted, verbs, nouns, roles, may };
}

const files = 'file files workspace document documents';
const folders = 'directory directories folder folders';
const both = `${files} ${folders}`;
const [web, chat] = ['http url web', 'chat message conversation channel'];
const event = 'calendar event';
const alarm = 'reminder reminders';
const timed: Role[] = ['at', 'rrule', 'timezone'];
const ends: Role[] = ['end', 'timezone'];
const until: Role[] = ['at', ...ends];

const needs = {
  write: need('change', 'write files', `write create save put: ${files}`, ['path', 'content']),
  move: need('change', 'move files', `move rename: ${both}`, ['from', 'to']),
  copy: need('change', 'copy files', `copy duplicate: ${files}`, ['from', 'to']),
  delete: need('change', 'delete files', `delete remove unlink: ${files}`, ['path']),
  make_folder: need('change', 'create empty folders', `create make mkdir: ${folders}`, ['path']),
  list: need('read', 'list files', `list ls: ${both}`, [], ['path']),
  read: need('read', 'read files', `read cat get: ${files}`, ['path']),
  fetch: need('read', 'fetch web addresses', `get fetch download: ${web} page address`, ['url']),
  request: need('change', 'call web addresses', `request call: ${web}`, ['url', 'method']),
  post: need('change', 'post messages', `post send say: ${chat}`, ['text'], ['conversation']),
  ask: need('any', 'ask people', 'task ask: human person people', ['question'], ['assignee']),
  remind: need('change', 'set reminders', `set remind create: ${alarm}`, ['text'], timed),
  calendar_read: need('read', 'read calendars', 'read list get: calendar events agenda', [], until),
  calendar_add: need('change', 'add to calendars', `add create: ${event}`, ['title', 'at'], ends),
  wait: need('any', 'wait', 'wait sleep: control seconds time', ['seconds']),
  nothing: need('any', 'run a step that does nothing', 'noop nothing: control nothing', []),
} satisfies Record<string, Need>;
export type Family = keyof typeof needs;

export const wantedWords = (family: Family): string => needs[family].wanted;

/** The operation that does `family`'s work best, or null when none can. `tool` narrows it to one tool. */
export function bindFamily(
  family: Family,
  manifest: OperationSpec[],
  tool?: string,
): OperationSpec | null {
  const own = manifest.filter((spec) => tool === undefined || spec.tool === tool);
  return findBest(own, (spec) => scoreFamily(needs[family], spec));
}

/** The first of those with the highest score; null: none has one. */
function findBest<T>(all: T[], scoreOf: (one: T) => number | null): T | null {
  let best: { one: T; score: number } | null = null;
  for (const one of all) {
    const score = scoreOf(one);
    if (score !== null && (best === null || score > best.score)) best = { one, score };
  }
  return best?.one ?? null;
}

const names = Object.keys(needs) as Family[]; // the keys of `needs` are the families

const known = new WeakMap<OperationSpec, Family | null>();

/** The family an operation belongs to, for describing its step; null for one of its own kind. */
export function familyOf(spec: OperationSpec): Family | null {
  const found = known.get(spec);
  if (found !== undefined) return found;
  const family = isConfirmation(spec)
    ? 'ask'
    : findBest(names, (name) => scoreFamily(needs[name], spec));
  known.set(spec, family);
  return family;
}

function scoreFamily(need: Need, spec: OperationSpec): number | null {
  if (need.effect === 'read' && spec.effect !== 'read') return null;
  if (need.effect === 'change' && spec.effect === 'read') return null;
  const name = splitName(spec.operation);
  const verb = need.verbs.findIndex((word) => name.includes(word));
  if (verb < 0) return null;
  const place = new Set([...name, ...(spec.source === 'builtin' ? splitName(spec.tool) : [])]);
  const told = splitName(spec.description.split(/[.\n]/)[0] ?? '');
  const named = need.nouns.some((noun) => place.has(noun));
  if (!named && !need.nouns.some((noun) => told.includes(noun))) return null;
  const fields = readFields(spec.input);
  const taken = need.roles.map((role) => findField(fields, role));
  if (
    taken.some((field) => field === undefined || field.type === 'array' || field.type === 'object')
  )
    return null;
  const possible = need.may.map((role) => findField(fields, role));
  const allowed = new Set([...taken, ...possible]);
  if (fields.some((field) => field.required && !allowed.has(field))) return null;
  const spare = name.filter(
    (word) => !need.verbs.includes(word) && !need.nouns.includes(word) && word !== 'text',
  );
  return (
    10 -
    verb +
    (named ? 4 : 0) +
    (possible.some((field) => field !== undefined) ? 2 : 0) +
    (spec.source === 'builtin' ? 20 : 0) -
    spare.length * 2 -
    (/deprecated/i.test(spec.description) ? 6 : 0)
  );
}
