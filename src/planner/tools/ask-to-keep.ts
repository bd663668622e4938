// Asks before a model's notes or preferences are kept.
import { memoryWords } from '#cards/memory-words.ts';
import { confirmPolicy } from '#cards/policy-words.ts';
import { applyOverride } from '#domain/people/policy.ts';
import type { AskedQuestion } from '#domain/planning/asked-question.ts';
import { type StateChanges, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';

/** @param changes added to those asked about before */
export function askToKeep(
  { state, policy }: Pick<ToolContext, 'state' | 'policy'>,
  changes: Pick<StateChanges, 'memory' | 'wish'>,
): ToolOutcome {
  const { memory = state.memory, wish: policyRequest = state.wish } = changes;
  const notes = memory?.keep ?? [];
  const { yes, no, ask } = memoryWords;
  const options = [{ text: yes }, { text: no }];
  const questions: AskedQuestion[] = [];
  if (notes.length > 0)
    questions.push({
      ...{ id: 'keep_notes', text: ask({ notes }), options },
      keep: { kind: 'notes', notes },
    });
  if (policyRequest != null) {
    const { override, lasting } = policyRequest;
    const change = confirmPolicy(applyOverride(policy, override), override, lasting);
    questions.push({
      ...{ id: 'keep_policy', text: memoryWords.askPolicy({ change }), options },
      keep: { kind: 'policy', override, lasting },
    });
  }
  return {
    result: succeed(null, 'Asked the person.'),
    changes: {
      ...changes,
      pause: { kind: 'questions', resume: state.stage, gate: null, digest: null },
      result: { kind: 'question', text: questions.map(({ text }) => text).join('\n'), questions },
    },
    ends: 'needs_clarification',
  };
}
