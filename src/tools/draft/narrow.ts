// draft_gather and draft_narrow: fit many outputs into a token budget.
import { z } from 'zod';
import { writeRanges } from '#domain/plan/draftbook.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Operation } from '#domain/tool.ts';
import { countOf, onOneLine } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { describeCall } from '../describe-call.ts';
import { throwIfAborted } from '../failures.ts';
import { describeOutput } from '../output-schema.ts';
import type { DraftPort, StepOutput } from '../ports.ts';
import {
  BookArgument,
  budgetTokens,
  idOfBook,
  loadBook,
  requireCallingStep,
  storeBook,
  toEntry,
  toPassages,
} from './books.ts';
import { fitEntries, type Passage, toPassage } from './fit-entries.ts';
import { shortenText, toText } from './shorten-text.ts';

const output = describeOutput(
  z.strictObject({
    draftbook: z.string().describe('Id of the artifact.'),
    entries: z.int(),
    sources: z.int().describe('Outputs that are in it.'),
    missing: z.int().describe('Steps that were meant and have no output.'),
    tokens: z.int(),
    shortened: z.int().describe('Entries that say less than their sources.'),
    left_out: z.int().describe('Outputs that no entry shows.'),
  }),
);

/** Characters per output, before the total is known. */
const keptAtLeast = 240;

function sayOutput({ operation, args, summary, output }: StepOutput): string {
  const { class: effect, parts } = describeCall(operation, undefined, args);
  const written = parts.filter(({ payload, later }) => payload && !later && effect !== 'reads');
  const text = written.length === 0 ? toText(output) : written.map((part) => part.text).join('\n');
  return text.trim() === '' ? (summary ?? '') : text;
}

function readSelector({ steps, partition, tag }: Record<string, unknown>): StepSelector | null {
  const ids = Array.isArray(steps) ? steps.filter((id) => typeof id === 'string') : [];
  const selector: StepSelector = {
    ...(ids.length === 0 ? {} : { ids }),
    ...(typeof partition === 'string' ? { partition } : {}),
    ...(typeof tag === 'string' ? { tag } : {}),
  };
  return Object.keys(selector).length === 0 ? null : selector;
}

function tellLacking(missing: number, leftOut: number): string {
  const none = missing === 0 ? '' : `; ${countOf(missing, 'step')} had no output`;
  return leftOut === 0 ? none : `${none}; ${countOf(leftOut, 'output')} left out`;
}

function tellBook(entries: Passage<unknown>[], tokens: number) {
  return {
    entries: entries.length,
    tokens,
    shortened: entries.filter(({ shortened }) => shortened).length,
    left_out: entries.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

export function createGather(port: DraftPort): Operation {
  return defineOperation({
    tool: 'draft',
    operation: 'gather',
    description:
      'Gather the outputs of many earlier steps into a draftbook that fits a budget of tokens. Waits for all steps of the partition, with the tag, or named.',
    effect: 'idempotent',
    destructive: false,
    seldom: true,
    schema: z.strictObject({
      partition: text(200, 'Steps of this partition.').optional(),
      tag: text(200, 'Steps with this tag.').optional(),
      steps: z.array(text(200, 'A step.')).min(1).max(100_000).optional().describe('Steps by id.'),
      budget_tokens: budgetTokens.default(8000).describe('What the draftbook may take.'),
      title: text(300, 'What it is about.').optional(),
    }),
    output,
    readsSteps: readSelector,
    check: (args) =>
      readSelector(args) === null
        ? {
            code: 'invalid_arguments',
            message: 'name a partition, a tag or steps, written out in the plan',
          }
        : null,
    async run(args, context) {
      const place = requireCallingStep(context);
      const of = { ...place, steps: readSelector(args) ?? {} };
      const { sources, missing } = await port.count(of);
      const budget = args.budget_tokens;
      const kept = Math.max(keptAtLeast, Math.floor((budget * 16) / Math.max(1, sources)));
      const passages: Passage<string>[] = [];
      for await (const source of port.read(of)) {
        throwIfAborted(context.signal);
        const output = sayOutput(source);
        const brief = await shortenText(output, Math.min(kept, budget * 6), ({ length }) => length);
        const line = onOneLine(brief);
        if (line === '') continue;
        passages.push(toPassage(line, brief === output ? line : output, source.id));
      }
      const { entries, tokens } = await fitEntries(passages, budget, port.estimateTokens);
      const book = await storeBook(port, place, context, {
        title: args.title ?? args.partition ?? args.tag ?? '',
        budget_tokens: budget,
        tokens,
        sources: passages.length,
        missing: missing + sources - passages.length,
        books: [],
        entries: entries.map((entry) => ({ ...toEntry(entry), steps: entry.sources })),
      });
      const described = tellBook(entries, tokens);
      const lacking = missing + sources - passages.length;
      return {
        summary: `Gathered ${countOf(passages.length, 'output')} into ${described.entries} entries of ${countOf(tokens, 'token')}${tellLacking(lacking, described.left_out)}.`,
        data: { draftbook: book, ...described, sources: passages.length, missing: lacking },
      };
    },
  });
}

export function createNarrow(port: DraftPort): Operation {
  return defineOperation({
    tool: 'draft',
    operation: 'narrow',
    description: 'Merge draftbooks into one that fits a budget of tokens.',
    effect: 'idempotent',
    destructive: false,
    seldom: true,
    schema: z.strictObject({
      from: z
        .array(BookArgument)
        .min(1)
        .max(1000)
        .describe('Outputs of draft_gather or draft_narrow, each as { "$from": "a step" }.'),
      budget_tokens: budgetTokens.default(8000).describe('What the draftbook may take.'),
      title: text(300, 'What it is about.').optional(),
    }),
    output,
    async run(args, context) {
      const place = requireCallingStep(context);
      const books = args.from.map(idOfBook);
      const passages: Passage<{ book: number; n: number }>[] = [];
      let sources = 0;
      let missing = 0;
      for (const [book, id] of books.entries()) {
        throwIfAborted(context.signal);
        const lower = await loadBook(port, place.planId, id);
        sources += lower.sources;
        missing += lower.missing;
        passages.push(...toPassages(lower.entries, id, (n) => ({ book, n })));
      }
      const budget = args.budget_tokens;
      const { entries, tokens } = await fitEntries(passages, budget, port.estimateTokens);
      const book = await storeBook(port, place, context, {
        title: args.title ?? '',
        budget_tokens: budget,
        tokens,
        sources,
        missing,
        books,
        entries: entries.map((entry) => ({
          ...toEntry(entry),
          from: [...Map.groupBy(entry.sources, (one) => one.book)].map(([index, some]) => ({
            book: index,
            entries: writeRanges(some.map(({ n }) => n).sort((a, b) => a - b)),
          })),
        })),
      });
      const described = tellBook(entries, tokens);
      return {
        summary: `Narrowed ${countOf(books.length, 'draftbook')} of ${countOf(sources, 'output')} to ${described.entries} entries of ${countOf(tokens, 'token')}${tellLacking(missing, described.left_out)}.`,
        data: { draftbook: book, ...described, sources, missing },
      };
    },
  });
}
