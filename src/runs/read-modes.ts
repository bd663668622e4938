// Fixed phrases on planning depth, such as "plan this extensively: …". Pure.
// Only at the start or end of a request: "describe the outage in detail" changes nothing.
import type { WantedModes } from '#domain/plan/modes.ts';

const how = '(?<how>extensively|exhaustively|normally|in (?:full |great |every )?detail)';
const level = '(?:at|on|with) (?:reasoning )?level (?<level>10|\\d)';
const alone = '(?:at|on|with) (?:reasoning )?level (?<alone>10|\\d)';
const it = '(?:(?:this|it|that|everything|all of it|the following) )?';
const asked = `(?:please )?plan ${it}(?:${how}(?:,? ${level}|,? \\(level (?<inside>10|\\d)\\))?|${alone})`;

const inFront = new RegExp(`^${asked}(?![\\p{L}\\p{N}])`, 'iu');
const howInFront = new RegExp(`^(?:please )?${how}(?=\\s*:)`, 'iu');
const atTheEnd = new RegExp(`(?<![\\p{L}\\p{N}])${asked}\\s{0,9}[.!]?$`, 'iu');
const within = [
  new RegExp(`^(?:please )?plan ${it}${how}(?: |[.!]?$)`, 'iu'),
  new RegExp(`^(?:please )?plan (?:the|a|an|our|my|their) [^,.;:\\n]* ${how}\\s*[.!]?$`, 'iu'),
];

/** The request without the separator, or null if there is no phrase. */
function readBefore(text: string): string | null {
  const words = text.trimEnd();
  const hasMark = /[,.;:–—-]$/.test(words);
  const rest = (hasMark ? words.slice(0, -1) : words).trimEnd();
  return rest !== '' && (hasMark || text.slice(words.length).includes('\n')) ? rest : null;
}

function readBehind(text: string): string | null {
  const words = text.trimStart();
  const hasMark = /^[:,.;–—-]/.test(words);
  const rest = (hasMark ? words.slice(1) : words).trimStart();
  const isSeparate = hasMark || text.slice(0, text.length - words.length).includes('\n');
  return rest !== '' && isSeparate ? rest : null;
}

type AskedModes = { modes: WantedModes; rest: string };

export function readModes(text: string): AskedModes | null {
  const whole = text.trim();
  for (const pattern of [inFront, howInFront, atTheEnd, ...within]) {
    const found = pattern.exec(whole);
    if (found?.groups === undefined) continue;
    const { groups, index } = found;
    const rest = within.includes(pattern)
      ? whole
      : pattern === atTheEnd
        ? readBefore(whole.slice(0, index))
        : readBehind(whole.slice(found[0].length));
    if (rest === null) continue;
    const chosen = groups.level ?? groups.inside ?? groups.alone;
    const mode = groups.how?.toLowerCase() === 'normally' ? 'normal' : 'extensive';
    return {
      modes: {
        ...(groups.how === undefined ? {} : { plan_reasoning_mode: mode, planning_mode: mode }),
        ...(chosen === undefined ? {} : { reasoning_level: Number(chosen) }),
      },
      rest,
    };
  }
  return null;
}
