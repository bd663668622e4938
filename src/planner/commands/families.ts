// Kinds of work people ask for, and the operation of the manifest that does each. No operation, no step: nothing is invented.
import type { OperationSpec } from '#domain/tool.ts';
import { findField, type Role, readFields, splitName } from './schema-fields.ts';

export type Family =
  | 'write'
  | 'move'
  | 'copy'
  | 'delete'
  | 'make_folder'
  | 'list'
  | 'read'
  | 'fetch'
  | 'request'
  | 'post'
  | 'ask'
  | 'remind'
  | 'calendar_read'
  | 'calendar_add'
  | 'wait'
  | 'nothing';

type Need = {
  verbs: string[];
  /** One of these must be in the operation's name, its tool's name or the beginning of its description. */
  nouns: string[];
  /** Arguments it must take; nothing else may be required. */
  roles: Role[];
  /** Arguments it may also require. */
  may?: Role[];
  effect: 'read' | 'change' | 'any';
};

const files = ['file', 'files', 'workspace', 'document', 'documents'];
const folders = ['directory', 'directories', 'folder', 'folders'];

const needs: Record<Family, Need> = {
  write: {
    verbs: ['write', 'create', 'save', 'put'],
    nouns: files,
    roles: ['path', 'content'],
    effect: 'change',
  },
  move: {
    verbs: ['move', 'rename'],
    nouns: [...files, ...folders],
    roles: ['from', 'to'],
    effect: 'change',
  },
  copy: { verbs: ['copy', 'duplicate'], nouns: files, roles: ['from', 'to'], effect: 'change' },
  delete: {
    verbs: ['delete', 'remove', 'unlink'],
    nouns: files,
    roles: ['path'],
    effect: 'change',
  },
  make_folder: {
    verbs: ['create', 'make', 'mkdir'],
    nouns: folders,
    roles: ['path'],
    effect: 'change',
  },
  list: {
    verbs: ['list', 'ls'],
    nouns: [...files, ...folders],
    roles: [],
    may: ['path'],
    effect: 'read',
  },
  read: { verbs: ['read', 'cat', 'get'], nouns: files, roles: ['path'], effect: 'read' },
  fetch: {
    verbs: ['get', 'fetch', 'download'],
    nouns: ['http', 'url', 'web', 'page', 'address'],
    roles: ['url'],
    effect: 'read',
  },
  request: {
    verbs: ['request', 'call'],
    nouns: ['http', 'url', 'web'],
    roles: ['url', 'method'],
    effect: 'change',
  },
  post: {
    verbs: ['post', 'send', 'say'],
    nouns: ['chat', 'message', 'conversation', 'channel'],
    roles: ['text'],
    may: ['conversation'],
    effect: 'change',
  },
  ask: {
    verbs: ['task', 'ask'],
    nouns: ['human', 'person', 'people'],
    roles: ['question'],
    may: ['assignee'],
    effect: 'any',
  },
  remind: {
    verbs: ['set', 'remind', 'create'],
    nouns: ['reminder', 'reminders'],
    roles: ['text'],
    may: ['at', 'rrule', 'timezone'],
    effect: 'change',
  },
  calendar_read: {
    verbs: ['read', 'list', 'get'],
    nouns: ['calendar', 'events', 'agenda'],
    roles: [],
    may: ['at', 'end', 'timezone'],
    effect: 'read',
  },
  calendar_add: {
    verbs: ['add', 'create'],
    nouns: ['calendar', 'event'],
    roles: ['title', 'at'],
    may: ['end', 'timezone'],
    effect: 'change',
  },
  wait: {
    verbs: ['wait', 'sleep'],
    nouns: ['control', 'seconds', 'time'],
    roles: ['seconds'],
    effect: 'any',
  },
  nothing: { verbs: ['noop', 'nothing'], nouns: ['control', 'nothing'], roles: [], effect: 'any' },
};

export const wantedWords: Record<Family, string> = {
  write: 'write files',
  move: 'move files',
  copy: 'copy files',
  delete: 'delete files',
  make_folder: 'create empty folders',
  list: 'list files',
  read: 'read files',
  fetch: 'fetch web addresses',
  request: 'call web addresses',
  post: 'post messages',
  ask: 'ask people',
  remind: 'set reminders',
  calendar_read: 'read calendars',
  calendar_add: 'add to calendars',
  wait: 'wait',
  nothing: 'run a step that does nothing',
};

/** The operation that does `family`'s work best, or null when none can. `tool` narrows it to one tool. */
export function bindFamily(
  family: Family,
  manifest: OperationSpec[],
  tool?: string,
): OperationSpec | null {
  let best: { spec: OperationSpec; score: number } | null = null;
  for (const spec of manifest) {
    if (tool !== undefined && spec.tool !== tool) continue;
    const score = scoreFamily(needs[family], spec);
    if (score !== null && (best === null || score > best.score)) best = { spec, score };
  }
  return best?.spec ?? null;
}

/** The family an operation belongs to, for describing its step; null for one of its own kind. */
export function familyOf(spec: OperationSpec): Family | null {
  let best: { family: Family; score: number } | null = null;
  for (const [name, need] of Object.entries(needs)) {
    const family = name as Family; // the keys of `needs` are the families
    const score = scoreFamily(need, spec);
    if (score !== null && (best === null || score > best.score)) best = { family, score };
  }
  return best?.family ?? null;
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
  const possible = (need.may ?? []).map((role) => findField(fields, role));
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
