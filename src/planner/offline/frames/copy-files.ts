// Instructions that copy files: one by one, or a set with the folders it lies in.
import { readFileSet } from '../file-sets.ts';
import { readLeadVerb } from '../lexicon.ts';
import { readFolder, readObjects } from '../objects.ts';
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
  type FileSet,
  type Frame,
  type Intent,
  intents,
  type Reading,
  type ReadingContext,
} from '../reading.ts';

export const readCopy: Frame = (clause, context) => {
  const lead = readLeadVerb(clause);
  if (!lead) return null;
  const copyOf = /^(?:a\s+)?(?:copy|duplicate|back-?up)\s+of\s+/i.exec(lead.rest);
  const verbs = new Set(['copy', 'cp', 'duplicate', 'clone']);
  if (!verbs.has(lead.verb) && !copyOf) return null;
  const rest = copyOf ? lead.rest.slice(copyOf[0].length) : lead.rest;
  const pair = splitPair(rest, context);
  const whole = pair ?? rest;
  const split =
    /^([\s\S]+)\s+(?:over\s+)?(?:to|into|as)\s+([\s\S]+)$/i.exec(whole) ??
    /^([\s\S]+?)\s+(?:called|named|in)\s+([\s\S]+)$/i.exec(whole);
  const set = readFileSet(split?.[1] ?? rest, context);
  const folders = split ? readFolder(split[1] ?? '', context) : null;
  if (
    (set || folders) &&
    findPaths(split?.[1] ?? rest, context.shielded).every((p) => !hasExtension(p.path))
  )
    return copySet(set ?? wholeFolder(folders ?? ''), rest, context);
  const sources = readObjects(split?.[1] ?? rest, context);
  const [source] = sources;
  if (source === undefined) return null;
  const target =
    split?.[2] === undefined
      ? context.answers.get(questions.destination(source, 'copy'))
      : split[2];
  if (target === undefined) return ask(questions.destination(source, 'copy'));
  const folder = readFolder(target, context);
  const to = folder ?? readObjects(target, context)[0] ?? target.trim();
  return intents(
    ...sources.map(
      (from): Intent => ({ act: 'copy', from, to: resolveDestination(from, to, folder !== null) }),
    ),
  );
};

/** "cp a.txt b.txt" names both one after the other. */
function splitPair(text: string, context: ReadingContext): string | null {
  const [from, to, ...more] = findPaths(text, context.shielded, true);
  if (!from || !to || more.length > 0) return null;
  const between = text.slice(from.end, to.start);
  return between.trim() === '' ? `${text.slice(0, from.end)} to ${text.slice(to.start)}` : null;
}

function wholeFolder(folder: string): FileSet {
  const said = folder;
  return {
    folder: tidyPath(folder),
    pattern: null,
    recursive: true,
    folders: false,
    except: [],
    said,
  };
}

/** A set is copied with the folders it lies in: "copy docs to backup" makes backup/docs/…. */
function copySet(set: FileSet, rest: string, context: ReadingContext): Reading {
  const target =
    /^[\s\S]+\s(?:to|into|under)\s+(?:the\s+)?([\s\S]+)$/i.exec(rest)?.[1] ??
    (set.folder === '' ? /\sin\s+(?:the\s+)?([\s\S]+)$/i.exec(rest)?.[1] : undefined);
  const named = set.folder === '' ? 'the files' : set.folder;
  const given = target ?? context.answers.get(questions.destination(named, 'copy'));
  if (given === undefined) return ask(questions.destination(named, 'copy'));
  const folder = tidyPath(
    readFolder(given, context) ?? readObjects(given, context)[0] ?? given.trim(),
  );
  const keep = set.folders || set.recursive === true;
  const base = set.said === set.folder ? folderOf(set.folder) : set.folder;
  return {
    kind: 'for_each',
    files: set.folders ? { ...set, folders: false, recursive: true } : set,
    make: (from) => ({
      act: 'copy',
      from,
      to: `${folder}/${keep && from.startsWith(base) ? from.slice(base.length).replace(/^\//, '') : baseName(from)}`,
    }),
  };
}
