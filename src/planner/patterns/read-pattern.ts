// Maps a model's pattern name to a known one.
import { z } from 'zod';
import {
  isProposed,
  type PatternSpec,
  PatternType,
  ProposedName,
  withoutMark,
} from '#domain/plan/pattern.ts';
import { makeStorableText } from '#domain/text.ts';
import { isNearly, listOf, shorten } from '#domain/words.ts';
import type { ToolContext } from '../tool.ts';
import { patternRules } from './rules.ts';

/** Control characters, direction overrides and zero-width characters. */
const invisible = /[\p{Cc}\p{Cf}]/gu;
const markup = /[<>`*[\]|~\\#]/g;

function toPlainText(text: string, most: number): string {
  const plain = makeStorableText(text)
    .replace(/\s+/g, ' ')
    .replace(invisible, '')
    .replace(markup, '')
    // Can't close the surrounding quotes.
    .replace(/[“”„«»"]/g, "'")
    .replace(/ {2,}/g, ' ')
    .trim();
  return shorten(plain, most);
}

const known = PatternType.options.join(', ');

export const ChosenPattern = z.strictObject({
  pattern_type: z.string().describe(`${known}; proposed:<name> only where none comes near`),
  subtype: z.string().nullable().describe('proposed:<name> needs an rfc'),
  variant: z.string().nullable().default(null),
  source_pattern: z.string().nullable().default(null),
  rfc: z.string().nullable().describe('why no known one fits'),
  confidence: z.number().describe('0 to 1'),
});
export type ChosenPattern = z.infer<typeof ChosenPattern>;

type ReadPattern = { spec: PatternSpec; notes: string[] } | { refused: string };

const names = listOf(PatternType.options, 'or');
const maxRfc = 2000;

type Subtype = { subtype?: string; rfc?: string; notes: string[] };

export function readPattern(input: ChosenPattern, toolContext: ToolContext): ReadPattern {
  const top = readTop(input, toolContext);
  if ('refused' in top) return top;
  const { type, proposed, notes } = top;
  const sub = readSubtype(input, type, toolContext, proposed === null ? top.subtype : null);
  if ('refused' in sub) return sub;
  const variant = readVariant(input.variant, type, toolContext.request);
  const { change } = toolContext.state;
  const rfc = sub.rfc ?? (proposed === null ? undefined : proposed.rfc);
  const isNew = rfc !== undefined;
  const confidence = Number.isFinite(input.confidence)
    ? Math.min(1, Math.max(0, input.confidence))
    : null;
  const spec: PatternSpec = {
    pattern_type: proposed?.name ?? type,
    introduced_by: change !== null ? 'user_feedback' : isNew ? 'ai_adaptation' : 'system',
    ...(confidence === null ? {} : { confidence }),
    ...(sub.subtype === undefined ? {} : { subtype: sub.subtype }),
    ...(variant === null ? {} : { variant }),
    ...(isNew ? { source_pattern: type, rfc } : {}),
  };
  return { spec, notes: [...notes, ...sub.notes] };
}

type Top =
  | {
      type: PatternType;
      /** If given in place of the pattern. */
      subtype: string | null;
      proposed: { name: string; rfc: string } | null;
      notes: string[];
    }
  | { refused: string };

function readTop(input: ChosenPattern, { settings }: ToolContext): Top {
  const name = input.pattern_type.trim();
  const plain = { subtype: null, proposed: null, notes: [] };
  if (!name.startsWith('proposed:')) {
    const type = findPattern(name);
    if (type !== null) return { ...plain, type };
    const owner = PatternType.options.find((option) => findSubtype(option, name) !== null);
    if (owner !== undefined) return { ...plain, type: owner, subtype: findSubtype(owner, name) };
    return {
      refused: `There is no pattern ${shorten(name, 60)}. Choose ${names}; for something new, proposed:<name> with source_pattern and rfc.`,
    };
  }
  const type = input.source_pattern === null ? null : findPattern(input.source_pattern);
  if (type === null) {
    return {
      refused: `A proposed pattern names the known one it comes from as source_pattern: ${names}.`,
    };
  }
  if (!settings.allowNewSubtypes) {
    const notes = [`New patterns are turned off; planned as ${type}.`];
    return { ...plain, type, notes };
  }
  const proposal = readProposal(name, input.rfc);
  return 'refused' in proposal ? proposal : { ...plain, type, proposed: proposal };
}

/** @returns name and reason, or the missing ones */
function readProposal(
  name: string,
  rfc: string | null,
): { name: string; rfc: string } | { refused: string } {
  if (!ProposedName.safeParse(name).success) {
    return {
      refused: `${shorten(name, 60)} is no name for a proposal; write proposed:<snake_case_name>, such as proposed:daily_health_protocol.`,
    };
  }
  const text = toPlainText(rfc ?? '', maxRfc);
  return text === ''
    ? { refused: `${name} needs an rfc: why the known ones do not fit, in two or three sentences.` }
    : { name, rfc: text };
}

function readSubtype(
  input: ChosenPattern,
  type: PatternType,
  { settings, request, state }: ToolContext,
  meant: string | null,
): Subtype | { refused: string } {
  const name = input.subtype?.trim() ?? '';
  if (name === '') return { notes: [], ...(meant === null ? {} : { subtype: meant }) };
  const bare = withoutMark(name);
  if (listApproved(state).includes(bare)) return { subtype: bare, notes: [] };
  if (!isProposed(name)) return readKnownSubtype(name, type, request);
  if (!settings.allowNewSubtypes) {
    const near = findSubtype(type, bare);
    const instead = near === null ? 'planned without a subtype' : `planned as ${near}`;
    return {
      notes: [`New subtypes are turned off; ${instead}.`],
      ...(near === null ? {} : { subtype: near }),
    };
  }
  if (patternRules[type].subtypes.includes(bare)) return { subtype: bare, notes: [] };
  const proposal = readProposal(name, input.rfc);
  if ('refused' in proposal) return proposal;
  return { subtype: proposal.name, rfc: proposal.rfc, notes: [] };
}

function listApproved({ rfc, memory }: ToolContext['state']): string[] {
  const noted = memory?.known.flatMap(({ name }) => name ?? []) ?? [];
  const now = rfc?.status === 'approved' ? [rfc.proposes] : [];
  return [...noted, ...now].filter(isProposed).map(withoutMark);
}

function readKnownSubtype(name: string, type: PatternType, request: string): Subtype {
  const near = findSubtype(type, name);
  if (near !== null) return { subtype: near, notes: [] };
  if (isInRequest(name, request)) return { subtype: toPlainText(name, 100), notes: [] };
  return {
    notes: [
      `${type} has no subtype ${shorten(name, 60)}; planned without one. A new one is written proposed:<name>, with an rfc.`,
    ],
  };
}

function readVariant(name: string | null, type: PatternType, request: string): string | null {
  const clean = name?.trim() ?? '';
  if (clean === '') return null;
  return findVariant(type, clean) ?? (isInRequest(clean, request) ? toPlainText(clean, 100) : null);
}

function isInRequest(name: string, request: string): boolean {
  const words = toTokens(name.replaceAll('_', ' '));
  return words.length > 0 && ` ${toTokens(request).join(' ')} `.includes(` ${words.join(' ')} `);
}

function toTokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Bounds the time. */
const maxCompared = 100;

/** Dice coefficient (1945) over words, forgiving spelling; 0..1. */
function similarity(one: string, other: string): number {
  const left = toTokens(one.slice(0, maxCompared).replaceAll('_', ' '));
  const right = toTokens(other.slice(0, maxCompared).replaceAll('_', ' '));
  if (left.length === 0 || right.length === 0) return 0;
  if (left.join('') === right.join('')) return 1;
  const free = [...right];
  let shared = 0;
  for (const word of left) {
    const index = free.findIndex((candidate) => isNearly(word, candidate));
    if (index === -1) continue;
    free.splice(index, 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length);
}

/** Counts as a known name. */
const nearEnough = 0.6;

function nearest(name: string, known: string[]): string | null {
  let found: { name: string; score: number } | null = null;
  for (const candidate of known) {
    const score = similarity(name, candidate);
    if (score >= nearEnough && score > (found?.score ?? 0)) found = { name: candidate, score };
  }
  return found?.name ?? null;
}

/** For inexact names: `Milestone Project`, `recurring-cycles`. */
export function findPattern(name: string): PatternType | null {
  const found = PatternType.safeParse(nearest(name, PatternType.options));
  return found.success ? found.data : null;
}

export function findSubtype(pattern: PatternType, name: string): string | null {
  return nearest(name, patternRules[pattern].subtypes);
}

function findVariant(pattern: PatternType, name: string): string | null {
  return nearest(name, patternRules[pattern].variants);
}
