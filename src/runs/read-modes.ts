// Fixed words about how extensively a request is planned: "plan this extensively: …", "…. Plan it in detail, at level 7." They count at
// the beginning or the end of a request, never inside it: "describe the outage in detail" changes nothing. Pure.
import type { WantedModes } from '#domain/planning/modes.ts';

const how = '(?<how>extensively|exhaustively|normally|in (?:full |great |every )?detail)';
const level = '(?:at|on|with) (?:reasoning )?level (?<level>10|\\d)';
const it = '(?:(?:this|it|that|everything|all of it|the following) )?';
const asked = `(?:please )?plan ${it}(?:${how}(?:,? ${level}|,? \\(level (?<inside>10|\\d)\\))?|${level.replace('<level>', '<alone>')})`;

/** What stands around the words goes with them; what is asked for is left. */
const separate = [
  new RegExp(`^${asked}\\s*[:,.;–—-]\\s*(?<rest>\\S[\\s\\S]*)$`, 'iu'),
  new RegExp(`^${asked}\\s*\\n\\s*(?<rest>\\S[\\s\\S]*)$`, 'iu'),
  new RegExp(`^(?:please )?${how}\\s*:\\s*(?<rest>\\S[\\s\\S]*)$`, 'iu'),
  new RegExp(`^(?<rest>[\\s\\S]*\\S)\\s*[,.;:–—\\n-]\\s*${asked}\\s*[.!]?$`, 'iu'),
];
/** The words are a part of what is asked for, which stays as it is. */
const within = [
  new RegExp(`^(?:please )?plan ${it}${how}(?: |[.!]?$)`, 'iu'),
  new RegExp(`^(?:please )?plan (?:the|a|an|our|my|their) [^,.;:\\n]* ${how}\\s*[.!]?$`, 'iu'),
];

type AskedModes = { modes: WantedModes; rest: string };

/** What a request says about how it is planned, and the request without that; null: nothing. */
export function readModes(text: string): AskedModes | null {
  const whole = text.trim();
  for (const pattern of [...separate, ...within]) {
    const groups = pattern.exec(whole)?.groups;
    if (groups === undefined) continue;
    const said = groups.level ?? groups.inside ?? groups.alone;
    const mode = groups.how?.toLowerCase() === 'normally' ? 'normal' : 'extensive';
    return {
      modes: {
        ...(groups.how === undefined ? {} : { plan_reasoning_mode: mode, planning_mode: mode }),
        ...(said === undefined ? {} : { reasoning_level: Number(said) }),
      },
      rest: groups.rest ?? whole,
    };
  }
  return null;
}
