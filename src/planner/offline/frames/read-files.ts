// Instructions and questions that only look: list, read, summarise.
import { readFileSet } from '../file-sets.ts';
import { readLeadVerb } from '../lexicon.ts';
import { isPronoun, readFolder, readObjects, readPaths } from '../objects.ts';
import { baseName, findAddresses, findPaths, folderOf, hasExtension, tidyPath } from '../paths.ts';
import { questions } from '../questions.ts';
import {
  ask,
  type FileSet,
  type Frame,
  type Intent,
  intents,
  type Reading,
  type ReadingContext,
} from '../reading.ts';
import { shield } from '../shield.ts';

const listNoun =
  /\b(?:files?|folders?|workspace|directory|directories|dir|contents?|documents|everything|structure|tree|listing)\b/i;

/** Turns a question about files into the instruction it stands for. */
export function rewordQuestion(text: string): string {
  const clean = text.replace(/[?\s]+$/, '');
  if (
    /^(?:what|which|how many)\s+\S+\s+(?:contains?|mentions?|says?|has|have)\s+\S/i.test(clean) &&
    !/\b(?:we|i|you)\b/i.test(clean)
  )
    return text;
  const rules: [RegExp, string][] = [
    [
      /^(?:what|which|how many)\s+(?:are\s+the\s+)?(?:files?|documents?|things?|notes?|folders?|stuff)\b(?:\s+(?:and\s+(?:folders?|files?)))?\s*(?:are|is|do|does|have|has)?\s*(?:there|we|i|you|it)?\s*(?:have|got|contain|exist|stored|saved)?\s*/i,
      'list files ',
    ],
    [
      /^(?:what(?:['’]?s|\s+is|\s+are|\s+do\s+(?:we|i|you)\s+have|\s+(?:have\s+)?(?:we|you|i)\s+got)|whats)\s+(?:currently\s+|there\s+|stored\s+|all\s+|now\s+)?(?:in(?:side)?|under)\s+/i,
      'show what is in ',
    ],
    [
      /^(?:is|are)\s+there\s+(?:any(?:thing|\s+files?|\s+documents?)?|some(?:thing|\s+files?)?|files?)\s*/i,
      'list files ',
    ],
    [
      /^(?:do|does)\s+(?:we|i|you|it)\s+have\s+(?:any\s+|some\s+)?(?:files?|documents?|anything)\s*/i,
      'list files ',
    ],
    [/^(?:does|do|did)\s+(.+?)\s+exist$/i, 'list where $1'],
    [
      /^(?:is|are)\s+there\s+(?:already\s+)?(?:a|an|the)\s+(?:files?\s+(?:called\s+|named\s+)?)?(.+)$/i,
      'list where $1',
    ],
    [/^where\s+(?:is|are)\s+(?:the\s+file\s+)?(.+)$/i, 'list where $1'],
    [
      /^what\s+(?:does|do|did)\s+(?:the\s+file\s+)?(.+?)\s+(?:say|contain|hold|have in it|read)(?:\s+now)?$/i,
      'read $1',
    ],
    [
      /^what(?:['’]?s|\s+is|\s+are)\s+(?:written\s+in\s+|the\s+(?:contents?|text)\s+(?:of|in)\s+)/i,
      'read ',
    ],
  ];
  for (const [pattern, replacement] of rules) {
    if (pattern.test(clean)) return clean.replace(pattern, replacement);
  }
  return text;
}

const readVerbs = new Set([
  'read',
  'show',
  'open',
  'print',
  'cat',
  'display',
  'view',
  'look at',
  'have a look at',
  'get',
  'fetch',
  'give',
  'check',
  'tell',
]);

export const readList: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || findAddresses(clause).length > 0) return null;
  const { verb } = lead;
  const where = /^where\s+([\s\S]+)$/i.exec(lead.rest)?.[1];
  if ((verb === 'list' && where !== undefined) || verb === 'find') {
    const about = (where ?? lead.rest).replace(/^(?:the\s+)?file\s+(?:called\s+|named\s+)?/i, '');
    const paths = readObjects(about, context);
    const [path] = paths;
    if (path !== undefined && paths.length === 1 && !/\s/.test(about.trim())) return findOne(path);
  }
  const set = ['list', 'ls', 'find', 'show'].includes(verb)
    ? readFileSet(
        lead.rest.replace(/^(?:me|us)\s+/i, '').replace(/^(?=\.?\w+\s+files\b)/i, 'all '),
        context,
      )
    : null;
  if (set && set.pattern !== null && findUnreadInSet(lead.rest, set) === null)
    return { kind: 'find', files: { ...set, recursive: set.recursive ?? true } };
  const lists = ['list', 'ls', 'enumerate'].includes(verb);
  const shows = readVerbs.has(verb) || verb === 'find';
  if (!lists && !shows) return null;
  const rest = stripAudience(lead.rest).replace(/[.!?]+$/, '');
  const about =
    listNoun.test(rest) ||
    /^(?:a\s+)?list\s+of\b/i.test(rest) ||
    /^what(?:['’]s| is)\s+(?:in|inside|under)\b/i.test(rest);
  const where2 = readPlace(rest, context);
  if (lists) {
    const bare = /^(?:the\s+)?([\p{L}\p{N}_-]+)$/u.exec(rest)?.[1];
    if (
      bare &&
      !listNoun.test(bare) &&
      !/^(?:it|there|here|all)$/i.test(bare) &&
      !isOperationWord(bare, context)
    ) {
      return intents({ act: 'list', path: bare, recursive: false });
    }
    if (!(about || rest === '' || where2 !== '.' || /^(?:it|there)$/i.test(rest))) return null;
  } else {
    const named = readPaths(rest, context, false).filter(
      (path) => !path.endsWith('/') && hasExtension(path),
    );
    const set = /\b(?:contents?|text)\s+of\s+(?:all|every|each)\b/i.test(rest);
    if (
      named.length > 0 ||
      set ||
      !about ||
      (/^(?:the\s+)?(?:files?|documents?)\s+\S+$/i.test(rest) &&
        readPaths(rest, context).length > 0)
    )
      return null;
    if (verb === 'read' && /^(?:all|every|each)\b/i.test(rest)) return null;
    if (isPronoun(rest)) return null;
  }
  const recursive =
    /\brecursive(?:ly)?\b|\bsub-?folders?\b|\btree\b|\ball\b|\beverything\b|\bwhole\b|\bentire\b|\s-R\b/i.test(
      rest,
    );
  return intents({ act: 'list', path: where2, recursive });
};

/** "Does docs/a.md exist?", "where is a.md?" */
function findOne(path: string): Reading {
  const files = {
    folder: path.includes('/') ? folderOf(path) : '',
    pattern: baseName(path),
    recursive: !path.includes('/'),
    folders: true,
    except: [],
    said: path,
  };
  return { kind: 'find', files };
}

/** "all files bigger than 1 MB" is no set of names. */
function findUnreadInSet(text: string, set: FileSet): string | null {
  const known = new Set(
    `${set.said} ${set.folder} ${set.pattern} me us the in my our folder directory workspace there are which`
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  );
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.find((word) => !known.has(word)) ?? null;
}

/** "list issues" is for a tool that knows issues. */
function isOperationWord(word: string, context: ReadingContext): boolean {
  const singular = word.toLowerCase().replace(/(?:es|s)$/, '');
  return context.manifest.some(
    (spec) => spec.source === 'mcp' && spec.operation.toLowerCase().includes(singular),
  );
}

/** The folder a listing is about; "." is the workspace. */
function readPlace(rest: string, context: ReadingContext): string {
  const folder = readFolder(rest, context);
  if (folder && !/^(?:workspace|whole|entire|files?)$/i.test(folder))
    return tidyPath(folder) || '.';
  const [path] = findPaths(rest, context.shielded, true);
  if (path) return tidyPath(path.path) || '.';
  const word =
    /\b(?:in|inside|under|of|within|from)\s+(?:the\s+|my\s+|our\s+)?([\p{L}\p{N}_][\p{L}\p{N}_-]*)\s*$/iu.exec(
      rest,
    )?.[1];
  if (
    word &&
    !/^(?:workspace|root|here|there|it|files|folders|directory|folder|all|everything|them)$/i.test(
      word,
    )
  )
    return word;
  return '.';
}

function stripAudience(text: string): string {
  return text.replace(/^(?:me|us|everyone)\s+/i, '').replace(/^(?:out|up|again)\s+/i, '');
}

export const readRead: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || !readVerbs.has(lead.verb) || findAddresses(clause).length > 0) return null;
  const rest = stripAudience(lead.rest).replace(/[?!]+$/, '');
  const set = /\b(?:all|every|each|everything)\b|\*/.test(rest) ? readFileSet(rest, context) : null;
  if (set) return { kind: 'for_each', files: set, make: (path): Intent => ({ act: 'read', path }) };
  const about = rest
    .replace(/^(?:the\s+|all\s+(?:the\s+)?)?(?:contents?|text|words?)\s+(?:of|in)\s+/i, '')
    .replace(/^what(?:['’]s| is)\s+(?:in|inside)\s+/i, '');
  const paths = readObjects(about, context).filter((path) => !path.endsWith('/'));
  if (paths.length > 0) return intents(...paths.map((path): Intent => ({ act: 'read', path })));
  if (
    lead.verb === 'read' &&
    (rest === '' || /^(?:a|the|my|it|this|that)(?:\s+files?)?$/i.test(rest))
  ) {
    const answer = context.answers.get(questions.which('read'));
    if (answer === undefined) return ask(questions.which('read'));
    const shielded = shield(answer);
    const [path] = readObjects(shielded.text, { ...context, shielded });
    return intents({ act: 'read', path: path ?? answer.trim() });
  }
  return null;
};

export const readSummarize: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || !['summarize', 'summarise'].includes(lead.verb)) return null;
  const [path] = readObjects(lead.rest, context);
  const [address] = findAddresses(lead.rest);
  if (address !== undefined)
    return intents({ act: 'fetch', url: address }, { act: 'summarize', path: null });
  if (path !== undefined && !isPronoun(lead.rest)) return intents({ act: 'summarize', path });
  if (isPronoun(lead.rest) && (context.focus.output || path !== undefined)) {
    return intents({ act: 'summarize', path: context.focus.output ? null : (path ?? null) });
  }
  return null;
};
