// The pattern of a request: the one it names, a new subtype that a person has to approve, or the nearest known.
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Rfc } from '#domain/planning/state.ts';
import { listOf } from '#domain/words.ts';
import type { Request } from '../commands/request.ts';
import { patternOf } from '../patterns/fit.ts';
import { findPattern, findSubtype } from '../patterns/read-pattern.ts';
import { patternRules } from '../patterns/rules.ts';

const renamed = /^(?:propose changes\s*:\s*)?call it ["“]?([\p{L}][\p{L}\p{N}_-]{1,79})["”]?\.?$/iu;
const proposal = /^\s*plan an?\s[^:\n]{1,200}\swith the (?:new )?subtype\s[^:\n]{1,80}:/i;

/** The request whose proposal a person has just decided about, with its history, or null if this turn is about another. */
export function findRefused(
  { text, history }: PlanningRequest,
  rfc: Rfc | null,
): Pick<PlanningRequest, 'text' | 'history'> | null {
  if (rfc === null || proposal.test(text)) return null;
  const place = history.findLastIndex(
    ({ author, text: typed }) => author === 'person' && proposal.test(typed),
  );
  const asked = history[place];
  return asked === undefined ? null : { text: asked.text, history: history.slice(0, place) };
}

/**
 * Arguments of `select_pattern`. A pattern that was named, or follows from the shape of the work, is no guess. @param typed the
 * latest words
 */
export function namePattern({ pattern, commands, parts }: Request, typed: string, rfc: Rfc | null) {
  const plain = { subtype: null, variant: null, source_pattern: null, rfc: null, confidence: 1 };
  if (pattern === null) {
    const count = (structure: string) =>
      parts.filter((part) => part.structure === structure).length;
    const { pattern_type } = patternOf({
      structures: {
        goal: 1,
        phase: count('phase'),
        milestone: count('milestone'),
        task: commands.length,
        checkpoint: 0,
      },
      rhythms: new Set(
        commands.map(({ modifiers }) => (modifiers.every === null ? 'one_off' : 'recurring')),
      ),
      flat: parts.length === 0,
    });
    return { ...plain, pattern_type };
  }
  const source = findPattern(pattern.source) ?? 'milestone_project';
  const other =
    rfc?.status === 'rejected'
      ? renamed.exec(typed)?.[1]?.replaceAll('-', '_').toLowerCase()
      : undefined;
  const subtype = other ?? pattern.subtype;
  const isRefused = rfc?.status === 'rejected' && rfc.proposes === `proposed:${subtype}`;
  if (subtype === null || isRefused) return { ...plain, pattern_type: source };
  if (
    (other !== undefined && findSubtype(source, subtype) !== null) ||
    (!pattern.isNew && other === undefined)
  )
    return { ...plain, pattern_type: source, subtype };
  const { title, subtypes } = patternRules[source];
  const others = listOf(subtypes.map((one) => one.replaceAll('_', ' ')));
  const words = commands.map((command) => command.words).join('; ');
  return {
    ...plain,
    pattern_type: source,
    subtype: `proposed:${subtype}`,
    source_pattern: source,
    rfc: `${subtype} is named in the request as a new subtype of ${title}. The known ones are ${others}; none has this name. The work it would cover: ${words.slice(0, 300)} Until it is approved, the rules of ${title} hold.`,
  };
}
