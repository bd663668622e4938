// What the session has so far, for a model that comes fresh to each stage.
import type { Stage } from '#contracts/planning/stages.ts';
import type { PlanningState } from '#contracts/planning/state.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';
import type { PlanningLimits } from '../../budget/limits.ts';

/** Titles that stand in a hint may have been copied from anywhere: none of them begins a line of ours. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Empty when there is nothing to say. */
export function writeBriefing(
  state: Readonly<PlanningState>,
  stage: Stage,
  limits: PlanningLimits,
): string {
  const { pattern, rfc, outline, hints, offered } = state;
  const lines: string[] = [];
  if (pattern !== null && stage !== 'COLLECT_CONTEXT') {
    const { pattern_type, subtype, variant } = pattern;
    const names = [pattern_type, subtype, variant].filter((name) => name !== undefined);
    lines.push(`The pattern is ${onOneLine(names.join(' / '))}.`);
  }
  if (rfc?.status === 'approved') lines.push(`A person has approved ${rfc.proposes}.`);
  if (rfc?.status === 'rejected')
    lines.push(`A person has refused ${rfc.proposes}: use a known pattern and subtype.`);
  if (offered.length > 0) lines.push(wrapUntrusted('offered', JSON.stringify(offered)));
  if (outline !== null && hints.length > 0)
    lines.push(
      'This was drafted, and is to be mended:',
      wrapUntrusted('outline', JSON.stringify(outline)),
    );
  if (hints.length > 0) {
    const tries = state.retries[stage] ?? 1;
    lines.push(
      `Try ${tries + 1} of ${limits.retries + 1}. What was wrong, and is to be put right first:`,
      ...hints.map((hint) => `- ${onOneLine(hint)}`),
      'Keep it small: fewer nodes, plain names, only what was asked for.',
    );
  }
  return lines.join('\n');
}
