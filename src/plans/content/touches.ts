// Lanes and places that steps touch; in doubt, more. Pure.
import { posix } from 'node:path';
import type { Lane } from '#db/steps/steps.ts';
import { isOpen } from '#domain/plan/arguments.ts';
import type { Step } from '#domain/plan/plan.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';
import { defaultCalendar } from '#tools/calendar/places.ts';

const maxPathLength = 2000;
const everything = '';

/** Affect others only through an output or a person. */
const inert = new Set(['control', 'draft', 'human', 'plan', 'text']);

export const isInert = (tool: string): boolean => inert.has(tool);

/** Content, not a location; may be long. */
export const contentArguments = [
  'content',
  'text',
  'find',
  'body',
  'question',
  'form',
  'instructions',
];
/** Files and folders of workspace operations. */
const placeArguments = ['path', 'from', 'to'];

type Located = Pick<Step, 'id' | 'tool' | 'args'>;

/** File systems may fold case and normalise names. */
function keyOfPath(path: string): string {
  const short = trimTail(posix.join('/', path.normalize('NFC').toLowerCase()), /\//);
  return `files${short}`;
}

function pathsIn(value: Json): string[] {
  if (isOpen(value)) return ['.'];
  // A path too long to compare may be any path.
  if (typeof value === 'string') return [value.length > maxPathLength ? '.' : value];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(pathsIn);
}

function fileKeys(args: JsonObject): string[] {
  const paths = placeArguments.flatMap((name) => pathsIn(args[name] ?? null));
  return paths.length === 0 ? ['files'] : paths.map(keyOfPath);
}

/** A configured name may mean any file. Without a name: reads all, writes the workspace's. */
function calendarKeys({ calendar, title }: JsonObject): string[] {
  const named = calendar ?? (title === undefined ? '.' : defaultCalendar);
  const keyOf = (path: string) => (/\.ics$/i.test(path) ? keyOfPath(path) : 'files');
  return [...pathsIn(named).map(keyOf), 'web'];
}

function webKey({ url }: JsonObject): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'web';
  return `web/${new URL(url).host}`;
}

export function touchesOf({ id, tool, args }: Located): string[] {
  if (isInert(tool)) return [];
  switch (tool) {
    case 'workspace':
      return fileKeys(args);
    case 'calendar':
      return calendarKeys(args);
    case 'http':
      return [webKey(args)];
    case 'chat':
    case 'reminder':
      // Only added to; nothing reads them.
      return [`people/${id}`];
    default:
      return [everything];
  }
}

const holds = (one: string, other: string): boolean =>
  one === everything || one === other || other.startsWith(`${one}/`);

export function meet(one: string[], other: string[]): boolean {
  return one.some((a) => other.some((b) => holds(a, b) || holds(b, a)));
}

/** Without naming each, like a gatherer or a model. */
export function readsPredecessors(args: JsonObject, decides: boolean): boolean {
  return decides || (isObject(args) && ['partition', 'tag', 'steps'].some((name) => name in args));
}

type Kind = Pick<StepContent, 'tool' | 'operation' | 'capabilities' | 'resources'>;

export class Lanes {
  readonly list: Lane[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(known: Lane[] = []) {
    for (const lane of known) {
      this.list.push(lane);
      this.#numbers.set(keyOf(lane), lane.lane);
    }
  }

  of(step: Kind): number {
    const pools = Object.keys(step.resources).sort();
    const kind = { ...step, capabilities: [...step.capabilities].sort(), pools };
    const key = keyOf(kind);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const lane = (this.list.at(-1)?.lane ?? 0) + 1;
    const { tool, operation, capabilities } = kind;
    this.list.push({ lane, tool, operation, capabilities, pools });
    this.#numbers.set(key, lane);
    return lane;
  }

  pools(): string[] {
    return [...new Set(this.list.flatMap(({ pools }) => pools))].sort();
  }
}

function keyOf({ tool, operation, capabilities, pools }: Omit<Lane, 'lane'>): string {
  if (capabilities.length === 0 && pools.length === 0) return `${tool}\n${operation}`;
  return JSON.stringify([tool, operation, capabilities, pools]);
}
