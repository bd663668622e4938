// Display names, quotes, and text made safe per platform.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import { showPlanned } from '#domain/plan/step-words.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';
import { capitalise } from '#domain/words.ts';
import { addRun, describeRun } from './times.ts';
import type { Quote } from './view.ts';

/** Next to an account. */
const maxShown = 120;

/** One line. @param atMost for a name alone */
export function showPerson(
  { names = {} }: Pick<PlanCardFacts, 'names'>,
  name: string,
  atMost: number,
): string {
  const shown = Object.hasOwn(names, name) ? names[name] : undefined;
  return shown === undefined ? quoteName(name, atMost) : quoteName(shown, maxShown);
}

export function showRequester(plan: PlanSummary): string {
  const { asked_by: shown, requester } = plan;
  const name = shown === undefined ? quoteName(requester, 60) : quoteName(shown, maxShown);
  return name + throughAgent(plan);
}

/** ` through the agent “Claude Code”` */
export function throughAgent({ agent }: Pick<PlanSummary, 'agent'>): string {
  return agent === undefined ? '' : ` through the agent ${quoteWords(agent, 60)}`;
}

/**
 * Slack's mrkdwn: `<!channel>` and `<@U…>` lose their meaning.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wordJoiner = '\u2060';

/** Adaptive Cards expand `{{DATE(…)}}` and `{{TIME(…)}}`. */
export function escapeMacros(text: string): string {
  return text.replace(/\{\{(?=\s*(?:DATE|TIME)\b)/giu, `{${wordJoiner}{`);
}

/** Keys whose texts are never shown. */
const verbatim = [
  ...['press', 'plan_id', 'run_id', 'step_id', 'digest', 'id', 'name', 'url', 'link', 'value'],
  ...['kind', 'status', 'type', 'style', 'tone'],
];

export function mapShown<T>(view: T, change: (text: string) => string): T {
  return mapStrings(view, change, verbatim);
}

function mapStrings<T>(value: T, change: (text: string) => string, except: string[]): T {
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return change(node);
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, except.includes(key) ? item : walk(item)]),
    );
  };
  // Only strings change.
  return walk(value) as T;
}

/** Its source limits it. */
export const maxFullText = 20_000;
export const maxSentence = 500;

/** `Reason: “…”` */
export function drawQuote({ by, words }: Quote): string {
  return by === '' ? words : `${by}: ${words}`;
}

/** `… Repeats every Monday.` */
export function goal(
  summary: string | null | undefined,
  planner: string | null,
  run: string | null,
): Quote[] {
  const words = showPlanned(summary ?? '', planner, maxSentence);
  if (words === '') return [];
  const sentence = (run: string) => ` ${capitalise(run)}.`;
  return [{ by: 'Goal', words: addRun(words, run, sentence) }];
}

/** Defaults to the title. */
export function goalOf(facts: PlanCardFacts): Quote[] {
  const { summary, planner_model } = facts.plan;
  return goal(summary, planner_model, describeRun(facts));
}

export function quote(by: string, text: string | null | undefined, max: number): Quote[] {
  const words = quoteWords(text ?? '', max);
  return words === '' ? [] : [{ by, words }];
}
