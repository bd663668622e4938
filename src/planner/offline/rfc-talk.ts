// After a proposed pattern was refused, the request it was for is planned without it: that stands in the conversation.
import type { PlanningRequest } from '#contracts/run.ts';
import type { StageTask } from '../reasoner.ts';
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { readNamedPattern } from './named-pattern.ts';
import { shield } from './shield.ts';

/** The request for which a pattern was proposed that a person has refused; null: this turn is about something else. */
export function findRefused({
  request,
  state,
}: Pick<StageTask, 'request' | 'state'>): PlanningRequest | null {
  const { rfc, outline } = state;
  if (rfc?.status !== 'rejected' || outline !== null) return null;
  const { decision, text, history } = request;
  if (decision.kind === 'approve' || names(text, rfc.proposes)) return null;
  const place = history.findLastIndex(
    (item) => item.author === 'person' && names(item.text, rfc.proposes),
  );
  const asked = history[place];
  if (asked === undefined) return null;
  // Whoever asks for something else at this point wants that.
  const isNew =
    decision.kind === 'said' &&
    readLeadVerb(stripPoliteness(text))?.known === true &&
    !/\b(?:subtype|pattern|call it|name it|known)\b/i.test(text);
  return isNew ? null : { ...request, text: asked.text, history: history.slice(0, place) };
}

function names(text: string, proposes: string): boolean {
  const named = readNamedPattern(shield(text).text)?.pattern;
  return named?.subtype === proposes || named?.pattern_type === proposes;
}
