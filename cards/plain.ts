// Names of people as readers know them, and text made safe for the platforms that draw it.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';
import { quoteName, quoteWords } from '#domain/shown-text.ts';

/** For a name shown with its account. */
const maxShown = 120;

/** `name` as readers know it, on one line. @param atMost of a name that stands for itself */
export function showPerson(
  { names = {} }: Pick<PlanCardFacts, 'names'>,
  name: string,
  atMost: number,
): string {
  const shown = Object.hasOwn(names, name) ? names[name] : undefined;
  return shown === undefined ? quoteName(name, atMost) : quoteName(shown, maxShown);
}

/** Who asked for a plan, as a list has it. */
export function showRequester(plan: PlanSummary): string {
  const { asked_by: shown, requester } = plan;
  const name = shown === undefined ? quoteName(requester, 60) : quoteName(shown, maxShown);
  return name + throughAgent(plan);
}

/** ` through the agent “Claude Code”`, where an agent proposed a plan for its requester, or asked for it. */
export function throughAgent({ agent }: Pick<PlanSummary, 'agent'>): string {
  return agent === undefined ? '' : ` through the agent ${quoteWords(agent, 60)}`;
}

/**
 * For Slack's mrkdwn and its fallback text: `<!channel>` and `<@U…>` become plain characters.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wordJoiner = '\u2060';

/** For Adaptive Cards: text runs know no markdown, but `{{DATE(…)}}` and `{{TIME(…)}}` are replaced in them too. */
export function escapeMacros(text: string): string {
  return text.replace(/\{\{(?=\s*(?:DATE|TIME)\b)/giu, `{${wordJoiner}{`);
}

/** What is sent back or looked up by, never read. */
const verbatim = [
  ...['press', 'plan_id', 'run_id', 'step_id', 'digest', 'id', 'name', 'url', 'link', 'value'],
  ...['kind', 'status', 'type', 'style', 'tone'],
];

/** A view or dressed card whose shown strings are changed by `change`; what is sent back stays as it is. */
export function mapShown<T>(view: T, change: (text: string) => string): T {
  return mapStrings(view, change, verbatim);
}

/** Every string inside `value` changed by `change`; keys named in `except` are left as they are. */
function mapStrings<T>(value: T, change: (text: string) => string, except: string[]): T {
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return change(node);
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, except.includes(key) ? item : walk(item)]),
    );
  };
  // The shape is kept; only strings are exchanged for strings.
  return walk(value) as T;
}
