// Matches an instruction with any operation of the manifest, by its name, its own verbs and its description.
import type { OperationSpec } from '#contracts/tool.ts';
import { familyOf } from '../families.ts';
import { fillArguments } from '../fill-arguments.ts';
import { readLeadVerb } from '../lexicon.ts';
import { questions } from '../questions.ts';
import { ask, type Frame, intents, type Reading, type ReadingContext } from '../reading.ts';
import { splitName } from '../schema-fields.ts';

/** Words that say the same about what an operation does. */
const alike = [
  ['add', 'sum', 'plus', 'total'],
  ['add', 'create', 'insert', 'new', 'make'],
  ['delete', 'remove', 'erase', 'drop'],
  ['search', 'find', 'query', 'lookup'],
  ['get', 'show', 'read', 'fetch', 'give', 'print', 'display', 'open', 'tell'],
  ['update', 'edit', 'change', 'modify', 'set'],
  ['run', 'execute', 'trigger', 'start', 'launch'],
  ['compress', 'gzip', 'zip'],
  ['echo', 'repeat'],
  ['switch', 'toggle', 'turn'],
];
const emptyWords = new Set([
  'a',
  'an',
  'the',
  'to',
  'of',
  'in',
  'on',
  'for',
  'with',
  'and',
  'or',
  'me',
  'my',
  'please',
  'it',
  'is',
  'are',
  'what',
  'which',
  'that',
  'this',
  'as',
  'from',
  'by',
  'all',
  'be',
  'do',
  'i',
  'you',
  'us',
  'our',
  'at',
  'whole',
  'entire',
  'request',
  'tool',
  'operation',
  'server',
  'how',
  'much',
  'many',
]);

/** Verbs that say no more than that there is something to be had. */
const neutral = new Set(['get', 'do', 'run', 'fetch', 'read', 'show']);

function stem(word: string): string {
  return word.replace(/(?:ies)$/, 'y').replace(/(?<=[a-z]{3})(?:es|s|ing|ed)$/, '');
}

function expand(word: string): Set<string> {
  const near = alike.filter((group) => group.includes(word)).flat();
  return new Set([word, ...near].map(stem));
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => !emptyWords.has(word),
  );
}

/** "call fs_read_text_file with …", "run control_noop": the operation by its own name. */
export const readNamedOperation: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  const rest =
    lead &&
    ['call', 'run', 'use', 'invoke', 'execute', 'do', 'trigger', 'start'].includes(lead.verb)
      ? lead.rest
      : clause;
  const name = /^(?:the\s+)?(?:tool\s+|operation\s+)?([A-Za-z][\w-]*_[\w-]+)\b/.exec(rest);
  if (!name?.[1]) return null;
  const wanted = name[1];
  const spec = context.manifest.find(
    (candidate) => candidate.name.toLowerCase() === wanted.toLowerCase(),
  );
  if (!spec) {
    return lead && lead.verb !== 'do' ? { kind: 'cannot', wanted: `call ${wanted}` } : null;
  }
  const tail = rest
    .slice(name[0].length)
    .replace(/^\s*(?:tool|operation)?\s*(?:with|on|for|and|using)?\s*/i, ' ');
  return fill(spec, tail, context);
};

export const readGeneric: Frame = (clause, context) => {
  const lead = readLeadVerb(
    clause,
    new Set(context.manifest.flatMap((spec) => splitName(spec.operation))),
  );
  const verb = lead?.verb ?? wordsOf(clause)[0];
  if (verb === undefined) return null;
  const ranked = context.manifest
    .filter((spec) => context.tool === undefined || spec.tool === context.tool)
    .map((spec) => ({
      spec,
      score: scoreOperation(spec, verb, clause, context.tool !== undefined),
    }))
    .filter((item) => item.score > 0)
    .sort((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (!best) return null;
  if (second && second.score === best.score) {
    const names = ranked.filter((item) => item.score === best.score).map((item) => item.spec.name);
    const chosen = context.answers.get(questions.choose(names))?.toLowerCase();
    const spec = context.manifest.find((candidate) => candidate.name.toLowerCase() === chosen);
    return spec ? fill(spec, removeNameWords(clause, spec), context) : ask(questions.choose(names));
  }
  return fill(best.spec, removeNameWords(clause, best.spec), context);
};

/** 0: no match. The verb must name the operation, and so must a noun where the operation's name has one. */
function scoreOperation(
  spec: OperationSpec,
  verb: string,
  clause: string,
  hinted: boolean,
): number {
  const words = new Set(wordsOf(clause).flatMap((word) => [...expand(word)]));
  const verbs = expand(verb);
  const operation = splitName(spec.operation);
  const stems = operation.map(stem);
  const own = (spec.verbs ?? []).flatMap(splitName).map(stem);
  const verbFits = stems.some((word) => verbs.has(word)) || own.some((word) => verbs.has(word));
  // Everything else the planner does by families; by name only when all the words are there.
  const described = splitName(spec.description.split(/[.\n]/)[0] ?? '').map(stem);
  const nouns = stems.filter((word) => !verbs.has(word) && !isVerbLike(word));
  const tool = splitName(spec.tool).map(stem);
  // "list entities" must not become "delete entities": another verb in the name rules the operation out.
  const otherVerb = stems.some((word) => isVerbLike(word) && !neutral.has(word));
  if (!verbFits && (otherVerb || nouns.length === 0 || !nouns.every((word) => words.has(word))))
    return 0;
  const exact = stems.includes(stem(verb)) ? 1 : 0;
  if (spec.source === 'builtin') {
    if (familyOf(spec) !== null) return 0;
    if (nouns.length === 0 && !tool.some((word) => words.has(word))) return 0;
  }
  const found = nouns.filter((word) => words.has(word)).length;
  if (nouns.length > 0 && found === 0) {
    return 0;
  }
  const toldWords = new Set(described.filter((word) => words.has(word) && !emptyWords.has(word)));
  return (
    (verbFits ? 4 : 0) +
    exact +
    found * 4 -
    (nouns.length - found) * 2 +
    Math.min(toldWords.size, 3) +
    (hinted ? 2 : 0) +
    (tool.some((word) => words.has(word)) ? 1 : 0)
  );
}

function isVerbLike(word: string): boolean {
  return word === 'get' || word === 'do' || word === 'run' || readLeadVerb(word) !== null;
}

function removeNameWords(clause: string, spec: OperationSpec): string {
  const lead = readLeadVerb(clause, new Set(splitName(spec.operation)));
  const names = new Set(splitName(spec.operation).map(stem));
  let rest = lead ? lead.rest : clause;
  for (let round = 0; round < 8; round += 1) {
    const match =
      /^(?:(?:me|us|an?|the|new|some|back|up|out|all|whole|entire)\s+|([\p{L}-]+)(?=\s|$)\s*)/iu.exec(
        rest,
      );
    if (!match) break;
    const word = match[1]?.toLowerCase();
    if (word !== undefined && !splitName(word).every((part) => names.has(stem(part)))) break;
    rest = rest.slice(match[0].length);
  }
  return rest.trim();
}

function fill(spec: OperationSpec, text: string, context: ReadingContext): Reading {
  const filled = fillArguments(spec, text, context);
  return filled.ok ? intents({ act: 'call', spec, args: filled.args }) : ask(...filled.questions);
}
