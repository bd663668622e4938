// COLLECT_CONTEXT: what is wanted. Ends with an answer, a question, a pattern to plan by, or a whole small plan at once.
import { askPerson, callTool, fillStage, type StageRunner } from './stage.ts';
import { keepSureness, mayRetry, weighStage } from './weigh.ts';

export const collectContext: StageRunner = async (context) => {
  const { session } = context;
  const event = await fillStage(context);
  // Beside what is said or asked anyway, a person whose style is not known is asked for it, once.
  if (event === 'answered' || event === 'needs_clarification')
    await callTool(context, 'probe_preference', { answer: null });
  if (event !== 'sufficient_context') {
    // An answer beside what still waits for a person's decision: that is what the session stands at.
    const waits = session.state.pause?.kind;
    return event === 'answered' && (waits === 'gate' || waits === 'rfc')
      ? 'needs_clarification'
      : event;
  }
  const { pattern } = session.state;
  if (pattern === null) return event;
  // A whole plan came at once: how sure that is, the outline's validator weighs.
  if (session.has('outline')) {
    keepSureness(session);
    return event;
  }
  const { self, heuristics } = session.sureness;
  const judgement = weighStage(context, {
    self: self ?? pattern.confidence ?? null,
    rules: 1,
    heuristics: heuristics ?? 1,
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
