// Checks where steps post while the plan is drafted, so that a channel that is not there is noticed before anybody reads the plan.
import type { StepDraft } from '#domain/plan/step-content.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { PostTarget } from '../ports.ts';
import type { ToolContext } from '../tool.ts';

const maxNamed = 5;

/** `slack-1a2b… (“Close T-305”)` */
export function nameTarget({ conversation, about }: PostTarget): string {
  return `${conversation} (${quoteWords(about, 60)})`;
}

/** A sentence for each step that posts where nothing can be posted, with the latest conversations where it can. */
export async function checkPosts(
  steps: StepDraft[],
  { tools, state }: Pick<ToolContext, 'tools' | 'state'>,
): Promise<Map<string, string>> {
  const { posts } = tools;
  const named = steps.flatMap(({ id = '', tool, operation, args = {} }) =>
    tool === 'chat' && operation === 'post' && typeof args.conversation === 'string'
      ? [{ id, target: args.conversation }]
      : [],
  );
  if (posts === null || named.length === 0) return new Map();
  const targets = [...new Set(named.map(({ target }) => target))];
  const refusals = await posts.refuse(state.run_id, targets);
  if (refusals.size === 0) return new Map();
  const reachable = await posts.list(state.run_id);
  return new Map(
    named.flatMap(({ id, target }) => {
      const refusal = refusals.get(target);
      if (refusal === undefined) return [];
      const others = reachable.slice(0, maxNamed).map(nameTarget);
      const instead =
        others.length === 0 ? '' : ` This plan can also post in ${others.join(', ')}.`;
      return [[id, `Step ${id}: ${refusal}${instead}`] as const];
    }),
  );
}
