// A posting step's channel, person or thread, pinned to its conversation.
import type { StepDraft } from '../plan/step-content.ts';
import type { Json } from '../text.ts';

/** `name`: `#ops` or `Ana Weiss`; null in plans that name only the conversation. */
export type PostTarget = { name: string | null; conversation: string };

/** `#ops (slack-1a2b…)` */
export const pinTarget = ({ name, conversation }: PostTarget & { name: string }): string =>
  `${name} (${conversation})`;

export function readTarget(text: string): PostTarget {
  const [, name, conversation] = /^([\s\S]{1,200}) \(([a-z]+-[\da-f]{32})\)$/.exec(text) ?? [];
  return name === undefined || conversation === undefined
    ? { name: null, conversation: text }
    : { name, conversation };
}

export function showTarget(conversation: Json): Json {
  return typeof conversation === 'string'
    ? (readTarget(conversation).name ?? conversation)
    : conversation;
}

/** `unasked`: the platform can't be asked here. */
export type Target = { pinned: string } | { refusal: string; unasked?: true };

type PostingStep = Pick<StepDraft, 'tool' | 'operation' | 'args'>;

export function postTargetOf({ tool, operation, args = {} }: PostingStep): string | null {
  const { conversation } = args;
  return tool === 'chat' && operation === 'post' && typeof conversation === 'string'
    ? conversation
    : null;
}

/** Refused ones stay as they are. */
export function pinSteps<S extends PostingStep>(
  steps: S[],
  resolved: ReadonlyMap<string, Target>,
): S[] {
  return steps.map((step) => {
    const target = resolved.get(postTargetOf(step) ?? '');
    return target === undefined || 'refusal' in target
      ? step
      : { ...step, args: { ...step.args, conversation: target.pinned } };
  });
}
