// Parses presses on cards. Pure.
import { z } from 'zod';
import { calendarWords } from '#cards/policy-words.ts';
import {
  CardSubject,
  readPress as readPlanPress,
  readSessionPress,
  refreshVerb,
  sliderInput,
  verbs,
} from '#cards/press.ts';
import { readList, readSearch } from '#conversation/find-plans.ts';
import { CardPress } from '#domain/chat/card.ts';
import { bare, type Press } from '#domain/chat/press.ts';
import { PolicyOverride } from '#domain/people/policy.ts';
import type { FieldValue } from '#domain/plan/answer.ts';
import { RecurringChange } from '#domain/plan/recurring.ts';
import { AnyJson, makeStorable } from '#domain/text.ts';

/** Only these have buttons. */
const ListName = z
  .string()
  .max(300)
  .refine((text) => readList(text) !== null || readSearch(text) !== null);
type ListName = z.infer<typeof ListName>;

export type Decision =
  | { kind: 'press'; press: Press }
  | { kind: 'settings'; policy: PolicyOverride; calendar?: string }
  | { kind: 'recurring'; id: string; change: RecurringChange };

/** Only shows something. */
export type Look =
  | { kind: 'refresh'; subject: CardSubject }
  | { kind: 'details'; press: CardPress; pages: string[]; list: ListName | null }
  | { kind: 'list'; list: ListName };

/** Cursors so far; `''` is the first page. */
const Paged = z.object({
  pages: z.array(z.string().max(1000)).max(50).default(['']),
  list: ListName.nullable().default(null),
});
const Listed = z.object({ list: ListName });
const Fields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const Inputs = z.record(z.string(), z.unknown());

function readTicked(data: unknown): number[] {
  const inputs = Inputs.safeParse(data);
  if (!inputs.success) return [];
  return Object.entries(inputs.data)
    .flatMap(([name, value]) => {
      const place = /^part:(\d{1,3})$/.exec(name)?.[1];
      return place !== undefined && value === 'true' ? [Number(place)] : [];
    })
    .sort((a, b) => a - b);
}

/** Null if unstorable. */
function readSettings(data: unknown): Extract<Decision, { kind: 'settings' }> | null {
  const inputs = Inputs.safeParse(data);
  if (!inputs.success) return null;
  const set = Object.entries(inputs.data).flatMap(([name, value]) => {
    const slider = /^slider:(\w+)$/.exec(name)?.[1];
    if (slider === undefined || typeof value !== 'string' || value === '') return [];
    if (slider === calendarWords.name) return [];
    const number = Number(value);
    return [[slider, Number.isNaN(number) ? value : number] as const];
  });
  const parsed = PolicyOverride.safeParse(Object.fromEntries(set));
  if (!parsed.success) return null;
  const calendar = inputs.data[sliderInput(calendarWords.name)];
  return {
    ...{ kind: 'settings', policy: parsed.data },
    ...(typeof calendar === 'string' ? { calendar } : {}),
  };
}

const RecurringPress = z.object({ id: z.string().max(200), place: z.string().max(4).default('') });

function readRecurring(data: unknown): Decision | null {
  const inputs = Inputs.safeParse(data).data ?? {};
  const press = RecurringPress.safeParse(data);
  if (!press.success) return null;
  const typed = (name: string) => {
    const value = inputs[`${name}:${press.data.place}`];
    return typeof value === 'string' && value.trim() !== '' ? { [name]: value } : {};
  };
  const { action, next_at } = inputs;
  const change = RecurringChange.safeParse({
    action,
    ...(action === 'skip' ? { next_at } : {}),
    ...(action === 'change' ? { ...typed('when'), ...typed('text') } : {}),
  });
  return change.success ? { kind: 'recurring', id: press.data.id, change: change.data } : null;
}

/** Null for unknown presses and lookups. */
export function readDecision(verb: string, sent: unknown): Decision | null {
  if (verb === refreshVerb) return null;
  // Unstorable characters would be refused repeatedly, so they are replaced.
  const json = AnyJson.safeParse(sent);
  const data: unknown = json.success ? makeStorable(json.data) : null;
  if (verb === verbs.settings) return readSettings(data);
  if (verb === verbs.recurring) return readRecurring(data);
  if (verb === verbs.part) {
    const press = CardPress.safeParse(data);
    if (!press.success) return null;
    const button = { ...press.data, action: 'approve' as const };
    return { kind: 'press', press: { ...bare(button), part: { places: readTicked(data) } } };
  }
  const plan = readPlanPress(data);
  if (plan !== null) {
    if (plan.press.action === 'details') return null;
    const fields = Fields.safeParse(plan.fields);
    // The service reports invalid values at their fields.
    const values: Record<string, FieldValue> | null = fields.success ? fields.data : null;
    const press = { button: plan.press, text: plan.text ?? '', fields: values, part: null };
    return { kind: 'press', press };
  }
  const session = readSessionPress(data);
  if (session === null) return null;
  return { kind: 'press', press: { ...bare(session.press), text: session.text ?? '' } };
}

/** Null for unknown presses and decisions. */
export function readLook(verb: string, data: unknown): Look | null {
  if (verb === verbs.list) {
    const listed = Listed.safeParse(data);
    return listed.success ? { kind: 'list', list: listed.data.list } : null;
  }
  if (verb === refreshVerb) {
    const subject = CardSubject.safeParse(data);
    return subject.success ? { kind: 'refresh', subject: subject.data } : null;
  }
  if (verb === verbs.part || verb === verbs.settings || verb === verbs.recurring) return null;
  const press = CardPress.safeParse(data);
  if (!press.success || press.data.action !== 'details') return null;
  const paged = Paged.safeParse(data);
  return paged.success ? { kind: 'details', press: press.data, ...paged.data } : null;
}
