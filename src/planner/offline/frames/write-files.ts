// Instructions that make or change what files say: create, write, save, append, replace words, copy.
import { type Content, readContent, splitAtMarker, splitBeforePath } from '../content.ts';
import { fileNoun, readLeadVerb } from '../lexicon.ts';
import { isPronoun, readFolder, readObjects, readPaths } from '../objects.ts';
import { baseName, findPaths, hasExtension, pathPattern, tidyPath } from '../paths.ts';
import { questions } from '../questions.ts';
import {
  ask,
  type Frame,
  type Intent,
  intents,
  type Reading,
  type ReadingContext,
} from '../reading.ts';
import { readQuote, shield, unshield } from '../shield.ts';

const writeVerbs = new Set([
  'write',
  'create',
  'make',
  'save',
  'put',
  'store',
  'add',
  'touch',
  'generate',
  'draft',
  'produce',
  'record',
  'jot down',
  'write down',
  'note down',
  'new',
  'prepare',
  'overwrite',
  'set up',
  'update',
  'set',
  'change',
  'compose',
  'replace',
]);

/** Verbs that make a thing rather than put words down. */
const makeVerbs = new Set(['create', 'make', 'new', 'touch', 'generate', 'produce', 'set up']);

export const readMakeFolder: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead) return null;
  const about = /^(?:(?:a|an|the|new|empty|another)\s+)*(?:sub)?(?:folder|directory|dir)\b/i.test(
    lead.rest,
  );
  const named = /^(?:(?:a|an|the|new|empty)\s+)*\S+\s+(?:folder|directory)$/i.test(lead.rest);
  if (lead.verb !== 'mkdir' && !(writeVerbs.has(lead.verb) && (about || named))) return null;
  const found = lead.verb === 'mkdir' ? readObjects(lead.rest.replace(/^-p\s+/, ''), context) : [];
  const plain = /^(?:-p\s+)?([\p{L}\p{N}_.\-/]+)$/u.exec(lead.rest)?.[1];
  const folder =
    found[0] ?? readFolder(lead.rest, context) ?? readPaths(lead.rest, context, false)[0] ?? plain;
  if (folder === undefined) return ask(questions.where('the folder'));
  return intents({ act: 'make_folder', path: tidyPath(folder) });
};

/** "append X to a.txt", "add a line saying X to a.txt". */
export const readAppend: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead) return null;
  const front = /\b(?:to|at)\s+the\s+(?:beginning|start|top|front)\b/i.test(lead.rest);
  const kind = front || lead.verb === 'prepend' ? 'prepend' : 'append';
  if (!['append', 'prepend', 'add', 'insert'].includes(lead.verb)) return null;
  const rest = lead.rest
    .replace(/\b(?:to|at|on)\s+the\s+(?:end|bottom|beginning|start|top|front)\s+(?:of\s+)?/i, 'to ')
    .replace(
      /^(?:a|an|the|another|one)\s+(?:new\s+)?(?:line|paragraph|entry|item|sentence|text|words?)\s*(?:(?:that\s+)?(?:saying|says|reading|reads|with(?: the text)?|containing)\s+|:\s*|(?=[\uE000-\uF8FF]))/i,
      '',
    );
  if (/^(?:(?:a|an|the|new|another|empty)\s+)*(?:files?|documents?)\b/i.test(rest)) return null;
  const toPath = new RegExp(
    `^(?:to|in|into)\\s+(?:the\\s+)?(?:file\\s+)?(${pathPattern})\\s*(?::|saying|the (?:text|line|words?))?\\s*([\\s\\S]*)$`,
    'iu',
  ).exec(rest);
  const placed = toPath ? null : splitBeforePath(rest, context.shielded);
  const toIt = /^([\s\S]+?)\s+(?:to|into)\s+(it|them|that file|the file)$/i.exec(rest);
  const path = toPath
    ? findPaths(toPath[1] ?? '', context.shielded, true)[0]?.path
    : (placed?.path ?? (toIt ? context.focus.paths[0] : undefined));
  if (path === undefined || (lead.verb === 'add' && !hasExtension(path) && !toIt)) return null;
  const words = toPath ? (toPath[2] ?? '') : (placed?.words ?? toIt?.[1] ?? '');
  const answer = context.answers.get(questions.addition(path));
  const text = answer ?? (words.trim() === '' ? undefined : readText(words, context));
  if (text === undefined) return ask(questions.addition(path));
  return intents({ act: 'edit', path, edit: { kind, text } });
};

function readText(words: string, context: ReadingContext): string | undefined {
  const content = readContent(words, context.shielded);
  if (content.kind === 'unclear' || content.kind === 'copy_of') return undefined;
  return content.kind === 'text' ? content.text : unshield(words, context.shielded.quotes);
}

/** 'replace "old" with "new" in a.txt' */
export const readReplace: Frame = (clause, context) => {
  const match =
    /^(?:replace|change|substitute|swap)\s+([\s\S]+?)\s+(?:with|by|to|for)\s+([\s\S]+?)\s+(?:in|inside|within)\s+(?:the\s+file\s+)?([\s\S]+)$/i.exec(
      clause,
    );
  if (!match) return null;
  const [, before = '', after = '', where = ''] = match;
  const [path] = readObjects(where, context);
  if (path === undefined) return null;
  const strip = (text: string) =>
    text.replace(
      /^(?:all\s+(?:occurrences\s+of\s+)?|every\s+|each\s+)?(?:the\s+(?:words?|text|line)\s+)?/i,
      '',
    );
  return intents({
    act: 'edit',
    path,
    edit: {
      kind: 'replace',
      old: unshield(strip(before), context.shielded.quotes),
      new: unshield(strip(after), context.shielded.quotes),
    },
  });
};

const whole = /^(?:the\s+)?(?:whole\s+)?(?:contents?|text)\s+(?:of|in)\s+/i;

export const readWrite: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || !writeVerbs.has(lead.verb)) return null;
  const { rest, overwrite } = readOverwrite(lead.verb, lead.rest);
  const changes = ['change', 'update', 'set', 'replace'].includes(lead.verb);
  const pairs = readPairs(rest, overwrite, context);
  if (pairs) return pairs;
  const read = splitPerPath(rest).map((part) => {
    const text = changes
      ? part
          .replace(whole, '')
          .replace(/\s+to\s+(?=(?:say|read|contain)\b)/i, ' that ')
          .replace(/\bthat (say|read|contain)\b/i, 'that $1s')
      : part;
    return readOne(lead.verb, text, overwrite, context);
  });
  const readings = read.filter((reading) => reading !== null);
  // A part without a reading must not be lost on the way.
  return readings.length === read.length ? mergeReadings(readings) : null;
};

function mergeReadings(readings: Reading[]): Reading {
  const asked = readings.flatMap((r) => (r.kind === 'question' ? r.questions : []));
  if (asked.length > 0) return ask(...asked);
  return intents(...readings.flatMap((r) => (r.kind === 'intents' ? r.intents : [])));
}

const quotedPair = new RegExp(
  `^(?:(?:the|a)\\s+)?(?:(?:text|words?|line)\\s+)?([\uE000-\uF8FF])\\s+(?:to|in|into|as)\\s+(?:(?:the|a)\\s+)?(?:files?\\s+)?((?:${pathPattern})(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)(?!["\uE000-\uF8FF]\\s+(?:to|in|into|as)\\b)${pathPattern})*)(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+|[.!]?$)`,
  'iu',
);

/** '"a" to a.txt, "b" to b.txt and c.txt': each text goes to the paths behind it. */
function readPairs(
  text: string,
  overwrite: boolean | null,
  context: ReadingContext,
): Reading | null {
  const readings: Reading[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const match = quotedPair.exec(rest);
    if (!match?.[1] || !match[2]) return null;
    const paths = findPaths(match[2], context.shielded, true).map((item) => item.path);
    if (paths.length === 0) return null;
    readings.push(write(paths, readContent(match[1], context.shielded), overwrite));
    rest = rest.slice(match[0].length).trim();
  }
  return readings.length === 0 ? null : mergeReadings(readings);
}

function readOverwrite(verb: string, text: string): { rest: string; overwrite: boolean | null } {
  const without =
    /,?\s*\b(?:without\s+(?:overwriting|replacing)(?:\s+(?:it|them|anything|an existing (?:file|one)|existing files))?|unless it (?:already )?exists|if it (?:does not|doesn['’]t) exist(?: yet)?)\b/i;
  if (without.test(text)) return { rest: text.replace(without, ''), overwrite: false };
  const over =
    /,?\s*\b(?:and\s+)?(?:overwriting|replacing)\s+(?:it|them|the (?:old|existing) (?:one|file)|any existing (?:one|file))\b/i;
  if (over.test(text)) return { rest: text.replace(over, ''), overwrite: true };
  return { rest: text, overwrite: verb === 'overwrite' ? true : null };
}

const nextFile = new RegExp(
  `(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)(?=(?:(?:a|another|the)\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${pathPattern}\\s+(?:saying|says|containing|with|that says|that contains|reading|:))`,
  'iu',
);

/** "a.txt saying hi and b.txt saying ho" is two files with their own texts. */
function splitPerPath(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const match = nextFile.exec(rest);
    const head = match ? rest.slice(0, match.index) : rest;
    // Only after a file that already has its text: "a.txt and b.txt saying hi" is one text for both.
    if (!match || !/\b(?:saying|says|containing|contains|with|reading)\s|:\s/.test(head)) break;
    parts.push(head);
    rest = rest.slice(match.index + match[0].length);
  }
  return [...parts, rest];
}

function readOne(
  verb: string,
  text: string,
  overwrite: boolean | null,
  context: ReadingContext,
): Reading | null {
  const marked = splitAtMarker(text, context.shielded);
  if (marked) {
    const paths = readTargets(marked.before, context);
    const file = marked.content.kind === 'text' ? marked.content.text : '';
    // "replace a.txt with b.txt": its name, or what it says?
    if (
      /^(?:replace|overwrite|update|change)$/.test(verb) &&
      hasExtension(file) &&
      !/[\s\uE000-\uF8FF]/.test(text.slice(-file.length))
    )
      return write(paths, { kind: 'unclear' }, overwrite);
    if (paths.length > 0) return write(paths, marked.content, overwrite);
    const tail = readTail(text, marked.before, context);
    if (tail) return write([tail.path], tail.content, overwrite);
    if (isFileWords(marked.before) || marked.before === '')
      return askWhere(marked.content, overwrite, context);
    if (!['write', 'save', 'put', 'store', 'record'].includes(verb)) return null;
  }
  const placed = splitBeforePath(
    text.replace(/^(?:down\s+)?(?:to|in|into)\s+(?=\S)/i, ''),
    context.shielded,
  );
  const spokenWords =
    placed &&
    readQuote(placed.words, context.shielded.quotes) !== undefined &&
    hasExtension(placed.path);
  if (placed && (spokenWords || !isNamePart(placed.words, context))) {
    const content = readContent(placed.words, context.shielded);
    // "write hello to a.txt" writes hello; "create hello in a.txt" makes something of that kind.
    const loose = content.kind === 'text' && !spokenWords && makeVerbs.has(verb);
    if (!loose) return write([placed.path], content, overwrite);
  }
  const paths = readTargets(text, context);
  if (paths.length > 0) {
    const empty = verb === 'touch' || /\b(?:empty|blank)\b/i.test(text);
    if (empty) return write(paths, { kind: 'text', text: '' }, overwrite);
    const bare = readBareText(text, context);
    if (bare && paths.length === 1) return write(paths, bare, overwrite);
    return mergeReadings(paths.map((path) => writeAnswered(path, overwrite, context)));
  }
  const spoken = readQuote(text.replace(/[.!]$/, ''), context.shielded.quotes);
  if (spoken !== undefined && ['write', 'save', 'store', 'put'].includes(verb)) {
    return askWhere({ kind: 'text', text: spoken }, overwrite, context);
  }
  if (isFileWords(text) || (text === '' && verb !== 'add'))
    return askWhere(null, overwrite, context);
  return null;
}

function write(paths: string[], content: Content, overwrite: boolean | null): Reading {
  return intents(...paths.map((path): Intent => ({ act: 'write', path, content, overwrite })));
}

function writeAnswered(path: string, overwrite: boolean | null, context: ReadingContext): Reading {
  const answer = context.answers.get(questions.content(path));
  if (answer === undefined) return ask(questions.content(path));
  return write([path], readAnswer(answer), overwrite);
}

/** An answer is text as it stands; only "empty" and "its own name" mean something. */
function readAnswer(answer: string): Content {
  const shielded = shield(answer);
  const bare = answer
    .trim()
    .replace(/^(?:it should (?:say|contain)|saying|containing|just|only)\s+/i, '');
  if (
    /^(?:nothing|empty|leave it (?:empty|blank)|blank|an? empty file|keep it empty|no content)\.?$/i.test(
      bare,
    )
  ) {
    return { kind: 'text', text: '' };
  }
  const content = readContent(shield(bare).text, shield(bare));
  if (content.kind !== 'text') return content;
  return { kind: 'text', text: readQuote(shielded.text, shielded.quotes) ?? bare };
}

/** The paths named before the text, joined with "in the docs folder". */
function readTargets(text: string, context: ReadingContext): string[] {
  if (isPronoun(text)) return context.focus.paths;
  const inFolder = /^([\s\S]+?)\s+(?:in|inside|into|under|within)\s+([\s\S]+)$/i.exec(text);
  if (inFolder) {
    const names = readPaths(inFolder[1] ?? '', context).filter((path) => !path.endsWith('/'));
    const place = inFolder[2] ?? '';
    const root = /^(?:the\s+|my\s+|our\s+)?(?:workspace|root)\b/i.test(place);
    const folder = root
      ? ''
      : (readFolder(place, context) ?? (/^[\p{L}\p{N}_-]+$/u.test(place) ? place : null));
    if (names.length > 0 && folder !== null) {
      return names.map((name) =>
        name.includes('/') ? name : [tidyPath(folder), name].filter(Boolean).join('/'),
      );
    }
  }
  return readPaths(text, context).filter((path) => !path.endsWith('/'));
}

/** "a file saying hello in a.txt": the path stands behind the text. */
function readTail(text: string, before: string, context: ReadingContext) {
  if (before !== '' && !isFileWords(before)) return null;
  const placed = splitBeforePath(text, context.shielded);
  if (!placed || !hasExtension(placed.path)) return null;
  const marked = splitAtMarker(placed.words, context.shielded);
  return marked ? { path: placed.path, content: marked.content } : null;
}

/** In "create notes.txt in docs/" the words before the path are a name, not a text. */
function isNamePart(words: string, context: ReadingContext): boolean {
  if (fileNoun.test(words) || isFileWords(words)) return true;
  const paths = findPaths(words, context.shielded);
  return paths.length > 0 && /^(?:(?:a|an|the|new|empty|blank)\s+)*(?:files?\s+)?\S+$/i.test(words);
}

function isFileWords(text: string): boolean {
  return (
    fileNoun.test(text) ||
    /^(?:(?:a|an|the|some|new|text)\s+)*(?:files?|documents?|notes?)\s+(?:in|for|about|called|named)\b/i.test(
      text,
    )
  );
}

/** 'write a.txt "hello"': text right behind the path. */
function readBareText(text: string, context: ReadingContext): Content | null {
  const match = new RegExp(
    `^(?:(?:a|the|new)\\s+)*(?:file\\s+)?(${pathPattern})\\s*[,:-]?\\s+([\uE000-\uF8FF])[.]?$`,
    'iu',
  ).exec(text.trim());
  return match?.[2] ? readContent(match[2], context.shielded) : null;
}

function askWhere(
  content: Content | null,
  overwrite: boolean | null,
  context: ReadingContext,
): Reading {
  const question = questions.where(content === null ? 'the file' : 'this text');
  const answer = context.answers.get(question);
  if (answer === undefined) return ask(question);
  const answered = { ...context, shielded: shield(answer) };
  const path = readObjects(answered.shielded.text, answered)[0] ?? baseName(answer.trim());
  return content === null
    ? writeAnswered(path, overwrite, context)
    : write([path], content, overwrite);
}
