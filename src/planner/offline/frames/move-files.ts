// Instructions that move, rename or delete files, one by one or by description.
import { readFileSet, takeException } from '../file-sets.ts';
import { fileNoun, readLeadVerb } from '../lexicon.ts';
import { isPronoun, readFolder, readObjects } from '../objects.ts';
import {
  baseName,
  findPaths,
  folderOf,
  hasExtension,
  resolveDestination,
  tidyPath,
} from '../paths.ts';
import { questions } from '../questions.ts';
import {
  ask,
  type Frame,
  type Intent,
  intents,
  type Reading,
  type ReadingContext,
} from '../reading.ts';
import { readQuote, shield } from '../shield.ts';

const moveVerbs = new Set([
  'move',
  'mv',
  'rename',
  'relocate',
  'shift',
  'transfer',
  'archive',
  'put',
  'change',
  'drop',
]);
const deleteVerbs = new Set([
  'delete',
  'remove',
  'erase',
  'rm',
  'get rid of',
  'throw away',
  'trash',
  'unlink',
  'discard',
  'destroy',
  'wipe',
  'purge',
  'del',
  'empty',
  'clear',
  'clear out',
  'clean',
  'clean out',
]);
/** These leave the folder or file itself in place. */
const emptyVerbs = new Set(['empty', 'clear', 'clear out', 'clean', 'clean out', 'wipe', 'purge']);
const destination =
  /^([\s\S]*?)\s+(?:(?:over|back|out|away)\s+)?(?:to|into|in|inside|under|as|->|→)\s+([\s\S]+)$/i;

export const readMove: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || !moveVerbs.has(lead.verb)) return null;
  if (lead.verb === 'change' && !/^the\s+name\s+of\s+/i.test(lead.rest)) return null;
  const renames = lead.verb === 'rename' || lead.verb === 'change';
  const overwrite = /\b(?:overwriting|replacing)\s+(?:it|them|the|any)/i.test(lead.rest)
    ? true
    : null;
  const rest = lead.rest
    .replace(/^the\s+name\s+of\s+/i, '')
    .replace(/,?\s*\b(?:overwriting|replacing)\s+(?:it|them|the|any)[\s\S]*$/i, '')
    .replace(/[.!]$/, '');
  const { text: plain, except, said } = takeException(rest, context);
  const split = splitDestination(plain, context);
  if (lead.verb === 'put' && (!split || !isMovable(split.objects, split.target, context)))
    return null;
  const objects = split?.objects ?? plain;
  const described = readFileSet(objects, context);
  const set = described && { ...described, except, said: `${described.said} ${said}` };
  if (lead.verb === 'archive' && !split) {
    if (set)
      return forEach(set, (from) => ({
        act: 'move',
        from,
        to: `archive/${baseName(from)}`,
        overwrite,
      }));
    const paths = readObjects(objects, context);
    if (paths.length === 0) return null;
    return intents(
      ...paths.map(
        (from): Intent => ({ act: 'move', from, to: `archive/${baseName(from)}`, overwrite }),
      ),
    );
  }
  const sources = set ? [] : readSources(objects, context);
  if (!set && sources.length === 0) {
    if (fileNoun.test(objects) || isPronoun(objects) || objects === '')
      return askWhich(lead.verb, clause, context);
    return null;
  }
  const named = sources[0] ?? 'the files';
  const answer = context.answers.get(questions.destination(named, renames ? 'rename' : 'move'));
  const goesInside =
    !renames &&
    split !== null &&
    /\b(?:into|inside|under)\s*$/i.test(plain.slice(0, plain.length - split.target.length));
  const target = split
    ? asFolder(readTarget(split.target, context), goesInside)
    : answer === undefined
      ? null
      : readTarget(shield(answer).text, { ...context, shielded: shield(answer) });
  if (target === null) return ask(questions.destination(named, renames ? 'rename' : 'move'));
  const move = (from: string): Intent => ({
    act: 'move',
    from,
    to: joinTarget(from, target, renames),
    overwrite,
  });
  if (!set) return intents(...sources.map(move));
  if (renames) {
    const extension = /^\*?(\.[\p{L}\p{N}]{1,12})$/u.exec(target.path)?.[1];
    if (extension === undefined) return ask(questions.unclear(clause.slice(0, 80)));
    return forEach(set, (from) => ({
      act: 'move',
      from,
      to: from.replace(/\.[^./]+$/, '') + extension,
      overwrite,
    }));
  }
  const into = target.folder || !hasExtension(target.path);
  const place = tidyPath(target.path);
  return forEach(set, (from) =>
    // A folder does not go into itself.
    place !== '' && (tidyPath(from) === place || place.startsWith(`${tidyPath(from)}/`))
      ? null
      : {
          act: 'move',
          from,
          to: joinTarget(from, { ...target, folder: into }, renames),
          overwrite,
        },
  );
};

type Target = { path: string; folder: boolean };

function splitDestination(
  rest: string,
  context: ReadingContext,
): { objects: string; target: string } | null {
  const match = destination.exec(rest);
  if (match?.[1] !== undefined && match[2] !== undefined) {
    // "all files in inbox to archive": the place that counts is behind the last "to".
    const last = /^([\s\S]+)\s+(?:to|into|as)\s+([\s\S]+)$/i.exec(rest);
    if (last?.[1] !== undefined && last[2] !== undefined)
      return { objects: last[1], target: last[2] };
    if (
      readFileSet(rest, context) &&
      /\bin$/i.test(rest.slice(0, rest.length - match[2].length).trim())
    )
      return null;
    return { objects: match[1], target: match[2] };
  }
  const paths = findPaths(rest, context.shielded, true);
  const second = paths[1];
  if (paths.length === 2 && second)
    return { objects: rest.slice(0, second.start), target: rest.slice(second.start) };
  const itTo = /^(it|that|this|them)\s+([\s\S]+)$/i.exec(rest);
  return itTo?.[1] && itTo[2] && paths.length === 1 ? { objects: itTo[1], target: itTo[2] } : null;
}

/** "put a.txt in archive/" moves; "put hello in a.txt" writes. */
function isMovable(objects: string, target: string, context: ReadingContext): boolean {
  const paths = isPronoun(objects)
    ? context.focus.paths
    : findPaths(objects, context.shielded).map((p) => p.path);
  if (paths.length === 0 && !readFileSet(objects, context)) return false;
  const to = readTarget(target, context);
  return to !== null && (to.folder || to.path.endsWith('/') || !hasExtension(to.path));
}

/** "a.txt from inbox": the folder that is named behind it belongs to the path. */
function readSources(objects: string, context: ReadingContext): string[] {
  const from = /^([\s\S]+?)\s+(?:from|in|inside|out of)\s+(?:the\s+)?([\s\S]+)$/i.exec(objects);
  if (from?.[1] && from[2]) {
    const folder = readFolder(from[2], context) ?? tidyPath(from[2].trim());
    const names = readObjects(from[1], context);
    const isTime = /^(?:yesterday|today|tomorrow|tonight|now|last|\p{L}+day)$/iu.test(folder);
    if (names.length > 0 && !/\s/.test(folder) && !isTime) {
      const root = /^(?:workspace|root)$/i.test(folder);
      return names.map((name) => (name.includes('/') || root ? name : `${folder}/${name}`));
    }
  }
  const paths = readObjects(objects, context);
  if (paths.length > 0) return paths;
  const folder = readFolder(objects, context);
  return folder ? [folder] : [];
}

function readTarget(text: string, context: ReadingContext): Target | null {
  const clean = text
    .trim()
    .replace(/[.,!?]+$/, (end) => (end.startsWith('.') && text.trim() === '.' ? end : ''));
  if (
    /^(?:the\s+)?(?:workspace|root|top(?:\s+level)?|main folder|workspace root|root of the workspace)(?:\s+folder)?$/i.test(
      clean,
    )
  ) {
    return { path: '', folder: true };
  }
  const folder = readFolder(clean, context);
  if (folder !== null) return { path: folder, folder: true };
  const [path] = findPaths(clean, context.shielded, true);
  if (path) return { path: path.path, folder: false };
  const quote = readQuote(clean, context.shielded.quotes);
  if (quote) return { path: quote, folder: false };
  const word =
    /^(?:(?:a|an|the|my|our)\s+)?(?:file\s+)?(?:called\s+|named\s+)?([\p{L}\p{N}_][\p{L}\p{N}_.-]*)$/iu.exec(
      clean,
    )?.[1];
  return word ? { path: word, folder: false } : null;
}

/** A new name without a folder stays in the folder where the file is. */
function joinTarget(from: string, target: Target, renames: boolean): string {
  if (renames && !target.folder && !target.path.includes('/')) {
    const extension = /\.[\p{L}\p{N}]{1,12}$/u.exec(baseName(from))?.[0] ?? '';
    const name =
      hasExtension(target.path) || extension === '' ? target.path : target.path + extension;
    return [folderOf(from), name].filter(Boolean).join('/');
  }
  return resolveDestination(from, target.path === '' ? './' : target.path, target.folder);
}

/** "into archive" is a folder whatever its name looks like; "into b.txt" is not. */
function asFolder(target: Target | null, inside: boolean): Target | null {
  return target && inside && !hasExtension(target.path) ? { ...target, folder: true } : target;
}

function forEach(
  files: NonNullable<ReturnType<typeof readFileSet>>,
  make: (path: string) => Intent | null,
): Reading {
  return { kind: 'for_each', files, make };
}

function askWhich(verb: string, clause: string, context: ReadingContext): Reading {
  const answer = context.answers.get(questions.which(verb));
  if (answer === undefined) return ask(questions.which(verb));
  const shielded = shield(answer);
  const paths = readObjects(shielded.text, { ...context, shielded });
  const path = paths[0] ?? answer.trim();
  const read = verb === 'delete' ? readDelete : readMove;
  const tail = destination.exec(clause)?.[2];
  return (
    read(`${verb} it${tail ? ` to ${tail}` : ''}`, {
      ...context,
      focus: { paths: [path], output: false },
    }) ?? ask(questions.which(verb))
  );
}

const wholeWorkspace =
  /^(?:out\s+)?(?:the\s+|my\s+|our\s+)?(?:whole\s+|entire\s+)?(?:workspace|root)$|^\.\/?$/i;

export const readDelete: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead || !deleteVerbs.has(lead.verb)) return null;
  const flags = /^(?:-\w+\s+)+/.exec(lead.rest)?.[0] ?? '';
  const rest = lead.rest
    .slice(flags.length)
    .replace(/[.!?\s]+$/, (end) => (lead.rest.trim().length <= 2 ? end : ''))
    .replace(/\s+(?:from|in|out of)\s+(?:the|my|our)\s+workspace\b/i, '');
  if (wholeWorkspace.test(rest) && (rest !== '' || emptyVerbs.has(lead.verb)))
    return deleteEverything('', rest);
  const folderWords =
    /\b(?:folder|directory)\b/i.test(rest) && !/\bfiles?\b|\beverything\b|\ball\b/i.test(rest);
  const folder = folderWords || emptyVerbs.has(lead.verb) ? readFolder(rest, context) : null;
  if (folder !== null) {
    if (emptyVerbs.has(lead.verb)) return deleteEverything(tidyPath(folder), rest);
    return intents({ act: 'delete', path: tidyPath(folder), recursive: true });
  }
  const set = isPronoun(rest) ? null : readFileSet(rest, context);
  if (set) {
    const files = lead.verb === 'rm' && !/r/i.test(flags) ? { ...set, folders: false } : set;
    return {
      kind: 'for_each',
      files,
      make: (path, isFolder = false) => ({ act: 'delete', path, recursive: isFolder }),
    };
  }
  const paths = readSources(rest, context);
  if (paths.length > 0) {
    if (emptyVerbs.has(lead.verb))
      return intents(
        ...paths.map(
          (path): Intent => ({
            act: 'write',
            path,
            content: { kind: 'text', text: '' },
            overwrite: true,
          }),
        ),
      );
    return intents(
      ...paths.map(
        (path): Intent => ({ act: 'delete', path: tidyPath(path), recursive: path.endsWith('/') }),
      ),
    );
  }
  const ordinal =
    /\b(?:first|second|third|last|next|other|previous|old|new|\d+(?:st|nd|rd|th))\s+(?:one|file)s?$/i;
  if (rest === '' || fileNoun.test(rest) || isPronoun(rest) || ordinal.test(rest))
    return askWhich('delete', clause, context);
  return null;
};

function deleteEverything(folder: string, said: string): Reading {
  return {
    kind: 'for_each',
    files: { folder, pattern: null, recursive: false, folders: true, except: [], said },
    make: (path, isFolder = false) => ({ act: 'delete', path, recursive: isFolder }),
  };
}
