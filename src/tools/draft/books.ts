// Stores and finds draftbooks, and traces their entries to steps.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError } from '#domain/errors.ts';
import { Draftbook, type DraftEntry, readRanges } from '#domain/plan/draftbook.ts';
import type { ToolContext } from '#domain/tool.ts';
import type { DraftPort } from '../ports.ts';
import { countOutputs, type Passage, writePassage } from './fit-entries.ts';

export const budgetTokens = z.number().int().min(200).max(1_000_000);

export const BookArgument = z.union([
  z.string().min(1).max(80),
  z.looseObject({ draftbook: z.string().min(1).max(80) }),
]);

export function idOfBook(book: z.infer<typeof BookArgument>): string {
  return typeof book === 'string' ? book : book.draftbook;
}

export type CallingStep = { planId: string; stepId: string };

/** @throws `guarded_operation` outside a plan */
export function requireCallingStep({ planId, stepId }: ToolContext): CallingStep {
  if (planId !== null && stepId !== null) return { planId, stepId };
  throw new CountersignError(
    'guarded_operation',
    'Draftbooks are made from outputs of a plan, so this only runs as a step of a plan.',
  );
}

/** Deterministic, so repeated work is stored once. */
export function artifactIdOf(...parts: string[]): string {
  return `art-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)}`;
}

export async function storeBook(
  port: DraftPort,
  place: CallingStep,
  context: ToolContext,
  book: Omit<Draftbook, 'kind'>,
): Promise<string> {
  const content = { kind: 'draftbook' as const, ...book };
  const id = artifactIdOf(context.idempotencyKey, JSON.stringify(content));
  await port.store({ ...place, id, name: `draftbook-${place.stepId}.json`, content });
  passCrashPoint('draft_stored');
  return id;
}

/** @throws `invalid_reference` if the plan doesn't have it */
export async function loadBook(port: DraftPort, planId: string, id: string): Promise<Draftbook> {
  const book = Draftbook.safeParse(await port.load(planId, id));
  if (book.success) return book.data;
  throw new CountersignError('invalid_reference', `This plan has no draftbook ${id}.`);
}

export function toPassages<Source>(
  entries: DraftEntry[],
  id: string,
  sourceOf: (n: number) => Source,
): Passage<Source>[] {
  return entries.map(({ n, text, quotes, count, omitted, shortened }) => ({
    quotes: quotes ?? [{ text, count }],
    omitted,
    // A shortened text can't be known to equal another.
    whole: shortened ? `${id} ${n}` : text,
    shortened,
    sources: [sourceOf(n)],
  }));
}

export function toEntry(
  passage: Passage<unknown> & { n: number },
): Omit<DraftEntry, 'steps' | 'from'> {
  const { n, quotes, omitted, shortened } = passage;
  const [only] = quotes;
  const isPlain = quotes.length === 1 && omitted === 0;
  return {
    n,
    text: isPlain && only !== undefined ? only.text : writePassage(passage),
    ...(isPlain ? {} : { quotes }),
    count: countOutputs(passage),
    omitted,
    shortened,
  };
}

/** Through nested draftbooks. @param wanted entry numbers, each with the groups that ask for it */
export async function findSteps(
  port: DraftPort,
  planId: string,
  book: Draftbook,
  wanted: ReadonlyMap<number, Iterable<number>>,
  found: Map<number, Set<string>> = new Map(),
): Promise<Map<number, Set<string>>> {
  const lower = new Map<number, Map<number, Set<number>>>();
  for (const { n, steps = [], from = [] } of book.entries) {
    for (const group of wanted.get(n) ?? []) {
      const known = found.get(group) ?? new Set();
      found.set(group, known);
      for (const step of steps) known.add(step);
      for (const one of from) {
        const inBook = lower.get(one.book) ?? new Map<number, Set<number>>();
        lower.set(one.book, inBook);
        for (const entry of readRanges(one.entries))
          inBook.set(entry, (inBook.get(entry) ?? new Set()).add(group));
      }
    }
  }
  for (const [index, inBook] of lower) {
    const id = book.books[index];
    if (id === undefined) continue;
    await findSteps(port, planId, await loadBook(port, planId, id), inBook, found);
  }
  return found;
}
