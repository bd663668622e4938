// Plans a request in which something waits for a person, and sees to it that no condition of any request is lost.
import type { PlanDraft, StepDraft } from '#contracts/plan.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import { draftPlan } from './draft.ts';
import { findLostCondition, type Piece } from './gates.ts';
import { findPaths } from './paths.ts';
import { askThese, type Decision, prepare, read, type Work } from './prepare.ts';
import { questions } from './questions.ts';
import type { Intent, Understood } from './reading.ts';
import { shield } from './shield.ts';

/** Characters by which a condition is known again. */
const comparedAtMost = 15;

const planned = new Set(['intents', 'for_each', 'question', 'cannot']);

/** People are asked first; what stands behind a gate runs after the answer it needs. */
export async function planGated(work: Work, pieces: Piece[], paths: string[]): Promise<Decision> {
  const readings: Understood[] = [];
  let known = paths;
  let opened = false;
  for (const piece of pieces) {
    const text = piece.kind === 'gate' ? piece.about : piece.text;
    if (piece.kind === 'gate') {
      readings.push(askPeople(piece));
      opened = true;
    } else {
      const own = read(work, text, known);
      if (piece.kind === 'gated' && !own.some(({ reading }) => planned.has(reading.kind)))
        return askThese(work, [questions.condition(text)], 'what waits for a person is unclear');
      // Two ways out of one question stand beside each other.
      const link = piece.kind === 'gated' && !opened ? 'sibling' : 'sequence';
      const needs = piece.kind === 'gated' ? (piece.needs ?? undefined) : undefined;
      readings.push(...own.map((one, at) => ({ ...one, needs, link: at === 0 ? link : one.link })));
      opened = false;
    }
    const shielded = shield(text);
    const named = findPaths(shielded.text, shielded).map(({ path }) => path);
    if (named.length > 0) known = named.slice(-1);
  }
  const drafted = await prepare(work, readings);
  if ('decision' in drafted) return drafted.decision;
  const { steps, cautions, notes } = drafted;
  const draft = draftPlan(steps, cautions, notes, work.request.timezone);
  return { result: { kind: 'proposal', draft }, reason: 'a plan, because a person decides first' };
}

function askPeople({ gate }: Extract<Piece, { kind: 'gate' }>): Understood {
  const intents = gate.people.map((assignee): Intent => {
    const asked = { act: 'ask' as const, question: gate.question, assignee };
    return gate.choice ? { ...asked, gate: true } : asked;
  });
  const words = gate.question;
  return { reading: { kind: 'intents', intents }, link: 'sequence', tool: undefined, words };
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Texts of steps, and words that were read as an order, a time or a rule. */
function keptBy({ steps, series = [] }: PlanDraft, outline: JsonObject | undefined): string[] {
  const all: StepDraft[] = [...steps, ...series.flatMap((one) => one.steps)];
  return [...all.flatMap(({ args }) => textsIn(args)), ...textsIn(outline)];
}

/**
 * The condition in `text` that `decision` leaves out: a question about it, with the person's answer if there is one. null:
 * nothing is left out, or nothing is planned.
 */
export function findLeftOut(
  work: Work,
  text: string,
  { result, outline }: Decision,
): { question: string; answer: string | undefined } | null {
  if (result.kind !== 'proposal') return null;
  const lost = findLostCondition(text, keptBy(result.draft, outline));
  if (lost === null) return null;
  // A clause that was asked about has been replaced by the answer.
  const before = read({ ...work, answers: new Map(), trace: [] }, text, []);
  const replaced = before
    .flatMap(({ reading }) => (reading.kind === 'question' ? reading.questions : []))
    .filter((question) => work.answers.has(question));
  if (replaced.some((question) => question.includes(lost.slice(0, comparedAtMost)))) return null;
  const question = questions.condition(lost);
  return { question, answer: work.answers.get(question) };
}
