// DRAFT_OUTLINE: what is to be done. Nothing is asked for that is there already: a small plan came with its context.
import { noteAssumptions, readAssumptions } from '../tools/elicit-context.ts';
import { fillStage, giveUp, type StageRunner } from './stage.ts';
import { keepSureness } from './weigh.ts';

export const draftOutline: StageRunner = async (context) => {
  const { session } = context;
  if (!session.has('outline') || session.state.change?.gate === 'outline') {
    const event = await fillStage(context);
    if (event !== 'drafted' && event !== 'sufficient_context') return event;
  }
  const { outline } = session.state;
  if (outline === null || !session.has('outline'))
    return giveUp(context, 'no_outline', 'No outline came of it. Ask again, or rephrase.');
  keepSureness(session);
  if (session.state.change?.gate === 'outline') session.change({ change: null });
  // What was assumed instead of asked stands on the plan.
  session.change(noteAssumptions(session.state, readAssumptions(session.state.hints)));
  session.change({ hints: [] });
  return 'drafted';
};
