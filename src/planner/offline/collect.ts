// COLLECT_CONTEXT without a model: ideas where they are wanted, an answer where no plan is, else the pattern of the work.
import type { PatternSpec } from '#contracts/planning/pattern.ts';
import type { StageEvent } from '#contracts/planning/stages.ts';
import { agreement, choosePattern, findPattern } from '../patterns/match.ts';
import { offersIdeas } from '../policy/effects.ts';
import { asksForIdeas } from '../policy/ideas.ts';
import { conclude, type OfflineTask, toArgs } from './end-stage.ts';
import { withoutRefused } from './named-pattern.ts';
import { makeOffer } from './offer-ideas.ts';
import type { Decision } from './prepare.ts';

export async function collect(task: OfflineTask, decision: Decision): Promise<StageEvent> {
  const { stageTools, request, state, signal, said } = task;
  const { result } = decision;
  const asked = decision.asked ?? request.text;
  const offered = await offer(task, decision, asked);
  if (offered !== null) return offered;
  if (result.kind !== 'proposal') return conclude(task, decision);
  const pattern =
    decision.pattern === undefined
      ? toChoice(choosePattern(request.text))
      : withoutRefused(decision.pattern, state.rfc, said);
  const type = findPattern(pattern.source_pattern ?? pattern.pattern_type);
  const confidence = agreement(asked, type ?? 'milestone_project');
  const { ends, result: answer } = await stageTools.call(
    'select_pattern',
    toArgs({ variant: null, ...pattern, confidence }),
    signal,
  );
  if (answer.ok) return ends ?? 'sufficient_context';
  // A pattern that cannot be used is no reason not to plan.
  const known = { ...toChoice(choosePattern(asked)), confidence };
  const again = await stageTools.call('select_pattern', toArgs(known), signal);
  return again.ends ?? 'sufficient_context';
}

function toChoice(pattern: PatternSpec) {
  return {
    pattern_type: pattern.pattern_type,
    subtype: pattern.subtype ?? null,
    variant: pattern.variant ?? null,
    source_pattern: pattern.source_pattern ?? null,
    rfc: pattern.rfc ?? null,
  };
}

/** Half sure: what is wanted is clear enough to offer ways, and not to plan one. */
const unsure = 0.55;

/** Ideas or options, where the person asks for them or likes to be offered some; null: there are none to offer. */
async function offer(
  { stageTools, state, tools, signal, request }: OfflineTask,
  { result }: Decision,
  asked: string,
): Promise<StageEvent | null> {
  const wanted =
    asksForIdeas(asked) && state.offered.every(({ kind }) => kind !== 'idea' && kind !== 'option');
  const vague =
    result.kind === 'cannot' ||
    (result.kind === 'question' && /^I didn't understand/.test(result.text));
  if (!wanted && !(vague && state.offered.length === 0)) return null;
  const made = makeOffer(asked, tools, wanted ? null : unsure);
  if (made === null || (!wanted && state.pause?.kind === 'gate')) return null;
  if (!wanted && !offersIdeas(request.policy, unsure, asked)) return null;
  const { ends } = await stageTools.call(made.tool, toArgs(made.args), signal);
  return ends ?? null;
}
