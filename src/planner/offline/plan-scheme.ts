// Plans a request with parts: each part's instructions become steps as in a plain request, and the parts an outline.
import type { JsonObject } from '#contracts/text.ts';
import { choosePattern } from '../patterns/match.ts';
import type { NamedPattern } from './named-pattern.ts';
import { findPaths } from './paths.ts';
import type { PlannedStep } from './planned-step.ts';
import { askThese, type Decision, prepare, read, type Work } from './prepare.ts';
import { questions } from './questions.ts';
import type { Understood } from './reading.ts';
import type { Scheme, SchemePart } from './scheme.ts';
import { shield } from './shield.ts';
import { addStatements, writeOutline } from './write-outline.ts';

/** As it was named, or by what comes again and what does not; else by the words. */
function choosePatternOf({ pattern, parts }: Scheme, text: string): NamedPattern {
  if (pattern !== null) return pattern;
  const said = choosePattern(text);
  const rhythms = readRhythms(parts);
  const type = rhythms.again
    ? rhythms.once
      ? 'hybrid_project_cycle'
      : 'recurring_cycle'
    : said.pattern_type === 'recurring_cycle' || said.pattern_type === 'hybrid_project_cycle'
      ? 'milestone_project'
      : said.pattern_type;
  const same = type === said.pattern_type;
  return {
    pattern_type: type,
    subtype: same ? (said.subtype ?? null) : null,
    source_pattern: null,
    rfc: null,
  };
}

function readRhythms(parts: SchemePart[], within = false): { again: boolean; once: boolean } {
  let [again, once] = [false, false];
  for (const part of parts) {
    const repeats = within || part.times.recurs !== null;
    const below = part.parts.length > 0 ? readRhythms(part.parts, repeats) : null;
    again ||= below?.again ?? repeats;
    once ||= below?.once ?? !repeats;
  }
  return { again, once };
}

/** Parts that ask for something, in the order in which they were said. */
function listWork(parts: SchemePart[]): SchemePart[] {
  return parts.flatMap((part) => (part.parts.length > 0 ? listWork(part.parts) : [part]));
}

export async function planScheme(work: Work, scheme: Scheme, paths: string[]): Promise<Decision> {
  const prepared = await prepareParts(work, listWork(scheme.parts), paths);
  if ('decision' in prepared) return prepared.decision;
  const { steps, cautions, notes } = prepared;
  const written = writeOutline(scheme, steps, { cautions, notes }, work.request);
  const { outline, unknown } = addStatements(written, scheme.statements, work);
  if (unknown.length > 0)
    return askThese(
      work,
      unknown.map((words) => questions.unclear(words)),
      'words about order name no part',
    );
  return {
    result: { kind: 'proposal', draft: { title: outline.title, steps: [] } },
    outline: toJson(outline),
    pattern: choosePatternOf(scheme, work.request.text),
    reason: explainPlan(steps),
  };
}

/** Readings of all parts at once, so that later ones know what earlier ones are about. */
async function prepareParts(work: Work, parts: SchemePart[], paths: string[]) {
  const readings: Understood[] = [];
  let known = paths;
  for (const [part, { text }] of parts.entries()) {
    if (text === '') continue;
    for (const reading of read(work, text, known)) readings.push({ ...reading, part });
    const shielded = shield(text);
    const named = findPaths(shielded.text, shielded)
      .map(({ path }) => path)
      .filter((path) => !path.endsWith('/'));
    if (named.length > 0) known = named.slice(-1);
  }
  return prepare(work, readings);
}

function explainPlan(steps: PlannedStep[]): string {
  const writes = steps.filter(({ spec }) => spec.effect !== 'read').map(({ spec }) => spec.name);
  return writes.length > 0
    ? `a plan, because it changes something: ${[...new Set(writes)].join(', ')}`
    : 'a plan, because it was asked for in parts, in an order or for a time';
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // JSON of plain data is a JSON object
}
