// A text as its reader likes it: the outcome first, as long as they read, in their tone, and the call to action at the
// end whatever else goes. The same text and policy give the same result, and a second time changes nothing.
import type { InteractionPolicy } from '#contracts/policy.ts';
import { countOf } from '#contracts/words.ts';
import { detailOf, lengthOf } from './effects.ts';
import { rewriteText } from './rewrite.ts';
import { joinUnits, splitUnits, type Unit } from './sentences.ts';
import { shortenSentence } from './shorten.ts';

/** Sentences about what was gone through rather than what came of it. */
const process =
  /^(?:(?:first|then|next|now|so|well|okay|ok|sure|great|certainly)\b[,.]?\s*)*(?:i (?:have )?(?:looked|look|checked|read|thought|considered|started|began|went|analy[sz]ed|reviewed|examined|tried|am going to|will now|wanted)\b|i['’]ve (?:looked|checked|read|thought|considered)\b|let me\b|let['’]?s\b|to do (?:this|that|so)\b|after (?:looking|checking|reading|thinking)\b|as (?:you )?(?:asked|requested)\b|hello\b|hi\b|thanks?\b|thank you\b)/i;
const outcome =
  /\b(?:(?:is|are|was|were) (?:now )?(?:ready|done|created|moved|deleted|written|planned|there|gone|missing|empty|waiting|finished|complete|rejected|approved)|exists?|says|holds|contains?|waits?|failed|cannot|can['’]t|nothing|there (?:is|are)|i (?:planned|made|created|wrote|moved|found|made|put|need)|will (?:be|run|exist|have))\b/i;
const action =
  /\?["”»)]*$|“(?:approve|reject|propose changes: …|go on|cancel|status)”|^(?:reply|answer|tell me|choose|decide|say|press|decision (?:on .{0,40})?required|required:|input)\b/i;
const moreItems = /^\s*- and [\d,]+ more$/;

/** Where the call to action begins; the number of units when there is none. */
function findAction(units: Unit[]): number {
  const at = units.findLastIndex(({ text, kind }) => kind === 'sentence' && action.test(text));
  return at !== -1 && at >= units.length - 2 ? at : units.length;
}

function putOutcomeFirst(units: Unit[]): Unit[] {
  const [first] = units;
  if (first === undefined || first.kind !== 'sentence' || !process.test(first.text)) return units;
  const at = units.findIndex(
    ({ kind, text }) => kind === 'sentence' && !process.test(text) && outcome.test(text),
  );
  const found = units[at];
  if (found === undefined) return units;
  const rest = units.filter((_, index) => index !== at);
  return [
    { ...found, opens: true },
    ...rest.map((unit, index) => (index === 0 ? { ...unit, opens: false } : unit)),
  ];
}

type Limits = ReturnType<typeof lengthOf>;

/** Drops sentences and lines beyond what is read; says how many lines of a list are gone. */
function trim(units: Unit[], limits: Limits): Unit[] {
  const kept: Unit[] = [];
  let sentences = 0;
  let items = 0;
  let hidden = 0;
  let characters = 0;
  const tellHidden = () => {
    if (hidden > 0)
      kept.push({
        text: `- and ${countOf(hidden, 'more').replace(/mores$/, 'more')}`,
        kind: 'item',
        opens: true,
      });
    hidden = 0;
    items = 0;
  };
  for (const unit of units) {
    if (unit.kind !== 'item') tellHidden();
    if (unit.kind === 'item') {
      const earlier = moreItems.test(unit.text);
      if (!earlier && (items >= limits.items || characters > limits.characters)) {
        hidden += 1;
        continue;
      }
      items += 1;
    } else if (unit.kind === 'sentence') {
      const full = sentences >= limits.sentences || characters > limits.characters;
      if (full && kept.length > 0) continue;
      sentences += 1;
    } else if (characters > limits.characters) continue;
    const text = unit.kind === 'code' ? unit.text : shortenSentence(unit.text, limits.characters);
    kept.push(unit.kind === 'item' ? { ...unit, text: unit.text } : { ...unit, text });
    characters += text.length;
  }
  tellHidden();
  return kept;
}

/** `text` as `policy` wants it. */
export function summarizeText(text: string, policy: InteractionPolicy): string {
  const brief = detailOf(policy) === 'short';
  const units = splitUnits(rewriteText(text.trim(), policy, brief));
  if (units.length === 0) return '';
  const at = findAction(units);
  const body = trim(putOutcomeFirst(units.slice(0, at)), lengthOf(policy));
  const asked = units.slice(at).map((unit) => ({ ...unit, opens: body.length > 0 || unit.opens }));
  return joinUnits([...body, ...asked]);
}
