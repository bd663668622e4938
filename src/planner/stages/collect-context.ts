// COLLECT_CONTEXT: what is wanted. Ends with an answer, a question, a pattern to plan by, or a whole small plan at once.
import { askPerson, fillStage, type StageRunner } from './stage.ts';
import { mayRetry, weighStage } from './weigh.ts';

export const collectContext: StageRunner = async (context) => {
  const { session } = context;
  const event = await fillStage(context);
  if (event !== 'sufficient_context') {
    // An answer beside a gate that still waits: the gate is what the session stands at.
    return event === 'answered' && session.state.pause?.kind === 'gate'
      ? 'needs_clarification'
      : event;
  }
  const { pattern } = session.state;
  if (pattern === null) return event;
  const { self, heuristics } = session.sureness;
  const judgement = weighStage(context, {
    self: session.has('outline') ? null : (self ?? pattern.confidence ?? null),
    rules: 1,
    heuristics: session.has('outline') ? 1 : (heuristics ?? 1),
  });
  switch (judgement) {
    case 'continue':
      return event;
    case 'retry':
      if (mayRetry(context, 'COLLECT_CONTEXT')) {
        session.discard(['pattern']);
        session.change({
          hints: [`The pattern ${pattern.pattern_type} seems a poor fit. Choose again, or ask.`],
        });
        return 'low_confidence';
      }
      // What shape the work has is for planners to know; a plain one is never wrong, only less helpful.
      return event;
    case 'escalate':
      return askPerson(
        context,
        'COLLECT_CONTEXT',
        ['I am not sure what kind of work this is. What should be true in the end, and by when?'],
        'the pattern is a guess',
      );
    default:
      return judgement satisfies never;
  }
};
