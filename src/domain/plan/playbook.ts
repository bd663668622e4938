// Plans saved for reuse with other values, by replacing texts.
import { z } from 'zod';
import { CountersignError } from '../errors.ts';
import { type Json, type JsonObject, line } from '../text.ts';
import { isArtifact, isReference } from './argument-kinds.ts';
import type { PlanContext, PlanDraft } from './plan.ts';
import type { StepDraft } from './step-content.ts';

export const PlaybookName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,79}$/,
    'must be letters, digits, hyphens, dots and underscores, 80 at most, such as close-month',
  );

const ParameterName = z
  .string()
  .regex(
    /^[a-zA-Z][a-zA-Z0-9_-]{0,39}$/,
    'must be a word of letters, digits, hyphens and underscores',
  );

export const PlaybookValues = z.record(ParameterName, line(2000));
export type PlaybookValues = z.infer<typeof PlaybookValues>;

const Parameter = z.object({
  name: z.string(),
  text: z.string(),
  /** Keeps the text if omitted. */
  optional: z.boolean(),
  places: z.int(),
});
export type PlaybookParameter = z.infer<typeof Parameter>;

export const Playbook = z.object({
  name: z.string(),
  title: z.string(),
  owner: z.string(),
  /** Empty if shipped with Countersign. */
  plan_id: z.string(),
  version: z.int(),
  params: z.array(Parameter),
  total_steps: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Playbook = z.infer<typeof Playbook>;

/** `params` are required, `defaults` optional. */
export type NewPlaybook = { name: string; params: PlaybookValues; defaults: PlaybookValues };

/** At a word boundary, unless the text's end isn't a word character. */
const edge = String.raw`(?:(?<![\p{L}\p{N}])|(?![\p{L}\p{N}]))`;

/** As whole words; the longest wins. */
function patternOf(texts: string[]): RegExp {
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return new RegExp(`${edge}(?:${longestFirst.map(RegExp.escape).join('|')})${edge}`, 'gu');
}

type Change = { text(text: string): string; number(number: number): Json };

function changeValue(value: Json, change: Change): Json {
  if (typeof value === 'string') return change.text(value);
  if (typeof value === 'number') return change.number(value);
  // References don't vary.
  if (value === null || typeof value !== 'object' || isReference(value) || isArtifact(value))
    return value;
  if (Array.isArray(value)) return value.map((item) => changeValue(item, change));
  return changeValues(value, change);
}

function changeValues(values: JsonObject, change: Change): JsonObject {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([key, value]) => [key, changeValue(value, change)]));
}

function changeStep(step: StepDraft, change: Change): StepDraft {
  const { args } = step;
  return {
    ...step,
    description: change.text(step.description),
    ...(args === undefined ? {} : { args: changeValues(args, change) }),
  };
}

/** Characters that values may add. */
const maxGrowth = 4_000_000;

function withoutGroups({ groups: _, ...context }: PlanContext): PlanContext {
  return context;
}

/** Never in operation names. @throws `limit_exceeded` if too large */
function replaceTexts(
  draft: PlanDraft,
  texts: string[],
  valueFor: (text: string) => string,
): PlanDraft {
  if (texts.length === 0) return draft;
  const pattern = patternOf(texts);
  let grown = 0;
  const put = (found: string) => {
    const value = valueFor(found);
    grown += value.length - found.length;
    if (grown <= maxGrowth) return value;
    throw new CountersignError(
      'limit_exceeded',
      `With these values the plan would be more than ${maxGrowth.toLocaleString('en-US')} characters longer. Give shorter ones.`,
    );
  };
  const change: Change = {
    text: (text) => text.replace(pattern, put),
    number(number) {
      if (!texts.includes(String(number))) return number;
      const value = valueFor(String(number));
      return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
    },
  };
  const { title, summary, steps, series, context } = draft;
  return {
    ...draft,
    // Templates hold the old texts.
    ...(typeof context === 'object' ? { context: withoutGroups(context) } : {}),
    title: change.text(title),
    ...(summary === undefined ? {} : { summary: change.text(summary) }),
    steps: steps.map((step) => changeStep(step, change)),
    ...(series === undefined
      ? {}
      : {
          series: series.map((one) => ({
            ...one,
            title: change.text(one.title),
            steps: one.steps.map((step) => changeStep(step, change)),
          })),
        }),
  };
}

/** In the order of `texts`. */
export function countPlaces(draft: PlanDraft, texts: string[]): number[] {
  const places = new Map(texts.map((text) => [text, 0]));
  replaceTexts(draft, texts, (text) => {
    places.set(text, (places.get(text) ?? 0) + 1);
    return text;
  });
  return [...places.values()];
}

export function readParameter({ name, text }: PlaybookParameter, values: PlaybookValues): string {
  return (Object.hasOwn(values, name) ? values[name] : undefined) ?? text;
}

/** Values are plain text, never scanned. */
export function fillPlaybook(
  draft: PlanDraft,
  params: PlaybookParameter[],
  values: PlaybookValues,
): PlanDraft {
  const byText = new Map(params.map((param) => [param.text, readParameter(param, values)]));
  return replaceTexts(draft, [...byText.keys()], (text) => byText.get(text) ?? text);
}

/** @param values by the texts they replace @returns also those that don't occur */
export function replaceInDraft(
  draft: PlanDraft,
  values: Readonly<Record<string, string>>,
): { draft: PlanDraft; missing: string[] } {
  const texts = Object.keys(values);
  const places = countPlaces(draft, texts);
  return {
    draft: replaceTexts(draft, texts, (text) => values[text] ?? text),
    missing: texts.filter((_, index) => places[index] === 0),
  };
}
