// select_pattern: picks the pattern (B6); new ones need approval.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  canonicalPattern,
  isProposed,
  type PatternSpec,
  withoutMark,
} from '#domain/plan/pattern.ts';
import { joinLines, type MessageLine } from '#domain/planning/asked-question.ts';
import type { Rfc } from '#domain/planning/state.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { JsonObject } from '#domain/text.ts';
import { defineTool } from '../define-tool.ts';
import { findProposal, needsPerson, statusOfRfc, withoutProposal } from '../patterns/fit.ts';
import { ChosenPattern, readPattern } from '../patterns/read-pattern.ts';
import { patternRules } from '../patterns/rules.ts';
import { fail, type ToolContext, type ToolOutcome } from '../tool.ts';

export const selectPattern = defineTool({
  name: 'select_pattern',
  description: 'Says which pattern larger work follows.',
  input: ChosenPattern,
  shown: ChosenPattern.omit({ variant: true, source_pattern: true }),
  stages: ['COLLECT_CONTEXT', 'DRAFT_OUTLINE'],
  produces: ['pattern'],
  revision: 3,
  async execute(input, toolContext) {
    const read = readPattern(input, toolContext);
    if ('refused' in read) return { result: fail(read.refused) };
    const { spec, notes } = read;
    const proposal = findProposal(spec);
    const self = Number.isFinite(input.confidence)
      ? Math.min(1, Math.max(0, input.confidence))
      : null;
    // A corrected name was a weak choice.
    const heuristics = notes.length === 0 ? 1 : 0.5;
    if (proposal !== null && needsPerson(spec, toolContext.settings)) {
      const rfcState = statusOfRfc(proposal, toolContext.state.rfc);
      if (rfcState === 'rejected') {
        return {
          result: fail(
            `A person rejected ${proposal}. Choose a known pattern and subtype, such as ${withoutProposal(spec).pattern_type}.`,
          ),
        };
      }
      if (rfcState !== 'approved')
        return { ...pauseForPerson(spec, proposal, notes), self, heuristics };
    }
    return { ...settle(spec, notes, toolContext), self, heuristics };
  },
});

function describe(spec: PatternSpec): string {
  const { pattern_type, subtype, variant } = spec;
  return [pattern_type, subtype, variant].filter((part) => part !== undefined).join(' · ');
}

function settle(spec: PatternSpec, notes: string[], { state }: ToolContext): ToolOutcome {
  return {
    result: {
      ok: true,
      confidence: spec.confidence ?? 1,
      explanations: [`The work is planned as ${describe(spec)}.`, ...notes],
      data: JsonObject.parse(spec),
    },
    // A known pattern replaces a proposed one without a decision.
    changes: { pattern: spec, ...(state.pause?.kind === 'rfc' ? { pause: null, rfc: null } : {}) },
    // While drafting, the outline is still to come.
    ...(state.stage === 'COLLECT_CONTEXT' ? { ends: 'sufficient_context' as const } : {}),
  };
}

function pauseForPerson(spec: PatternSpec, proposes: string, notes: string[]): ToolOutcome {
  const lines = askAbout(spec, proposes);
  const rfc: Rfc = { text: spec.rfc ?? '', proposes, status: 'open', by: null };
  const digest = createHash('sha256')
    .update(canonicalize({ proposes, text: rfc.text }) ?? '')
    .digest('hex');
  return {
    result: {
      ok: true,
      confidence: spec.confidence ?? 1,
      explanations: [`${proposes} waits for a person’s word.`, ...notes],
      data: JsonObject.parse(spec),
    },
    changes: {
      pattern: spec,
      rfc,
      pause: { kind: 'rfc', resume: 'DRAFT_OUTLINE', gate: null, digest },
      result: { kind: 'rfc', rfc: rfc.text, text: joinLines(lines), lines },
      reason: `${proposes} is new and needs a person’s approval.`,
    },
    ends: 'needs_clarification',
  };
}

function askAbout(spec: PatternSpec, proposes: string): MessageLine[] {
  const name = withoutMark(proposes).replaceAll('_', ' ');
  const { title } = patternRules[canonicalPattern(spec)];
  const what = isProposed(spec.pattern_type)
    ? `No known pattern fits, so I propose a new one: ${quoteWords(name, 200)}, closest to a ${title}.`
    : `No known kind of ${title} fits, so I propose a new one: ${quoteWords(name, 200)}.`;
  return [{ text: what }, { text: `Why: ${quoteWords(spec.rfc ?? '', 2000)}`, on_card: true }];
}
