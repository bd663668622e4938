// Files as people name them: paths, lists of them, "it", and sets such as "all .log files in logs except today.log".
import type { FileSet, Files } from './command.ts';
import { readPeople } from './people.ts';
import { numberWords, type Read, readMoment, type Words } from './times.ts';
import { value, valueAt } from './tokens.ts';

type Place = Words & { focus: { paths: string[] }; end: number };

const article = ['the', 'a', 'an', 'my', 'our', 'this', 'that', 'these', 'new', 'text', 'markdown'];
const noun = ['file', 'files', 'document', 'documents', 'note', 'notes'];
const folderNoun = ['folder', 'directory'];
const pronouns = ['it', 'that', 'this', 'them', 'both'];

export function tidyPath(path: string): string {
  return path
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '');
}

export const baseName = (path: string): string => tidyPath(path).split('/').at(-1) ?? path;

export function folderOf(path: string): string {
  const tidy = tidyPath(path);
  return tidy.includes('/') ? tidy.slice(0, tidy.lastIndexOf('/')) : '';
}

export function pathsOverlap(one: string, other: string): boolean {
  const [a, b] = [tidyPath(one).normalize('NFC'), tidyPath(other).normalize('NFC')];
  const root = (path: string) => path === '' || path === '.';
  return root(a) || root(b) || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Words before a name: "the file", "a new file called", "the folder". */
function readNoun(
  place: Place,
  at: number,
): { next: number; folder: boolean; count: number | null } {
  let i = at;
  let [folder, count]: [boolean, number | null] = [false, null];
  while (article.includes(valueAt(place, i))) i += 1;
  const said = numberWords.indexOf(valueAt(place, i)) + 1;
  if (said > 0) [count, i] = [said, i + 1];
  const named = noun.includes(valueAt(place, i));
  if (named || folderNoun.includes(valueAt(place, i))) {
    folder = !named;
    i += 1;
    if (['called', 'named'].includes(valueAt(place, i))) i += 1;
  } else if (i > at) {
    // An article alone is no way to name a path: "the a.txt" is fine, "a new a.txt" too.
    if (place.tokens[i]?.kind !== 'path') return { next: at, folder: false, count: null };
  }
  return { next: i, folder, count };
}

/** Files that are called so everywhere, without an extension. */
const conventional =
  /^(?:LICEN[CS]E|VERSION|README|CHANGELOG|NOTICE|AUTHORS|CONTRIBUTING|COPYING|CODEOWNERS|(?:Make|Docker|Proc|Gem|Rake|Jenkins|Vagrant)file)$/;
/** Behind "file" a word is a name where it can't be read otherwise, as in "the file today". */
const nameLike = /^(?=.*[\d_-])[\p{L}\p{N}_-]+$/u;

export function nameAt({ tokens, end }: Pick<Place, 'tokens' | 'end'>, at: number): string | null {
  const token = at < end ? tokens[at] : undefined;
  if (token?.kind === 'path' && !token.value.includes('*')) return token.value;
  const before = value(tokens[at - 1]);
  const isNamed =
    /^(?:called|named)$/.test(before) || (before === 'file' && nameLike.test(token?.text ?? ''));
  if (token?.kind === 'word' && (isNamed || conventional.test(token.text))) return token.text;
  return token?.kind === 'quote' && token.value.trim() !== '' && token.value.length < 300
    ? token.value
    : null;
}

/** One path that is not called a folder, or what "it" means where that is one. */
export function readPath(place: Place, at: number): Read<string> | null {
  for (const { value: read, next } of readFiles(place, at)) {
    const [only, ...more] = read.kind === 'paths' ? read.paths : [];
    const isFolder = read.kind === 'paths' && read.folder && only?.endsWith('/') === false;
    if (only !== undefined && more.length === 0 && !isFolder) return { value: only, next };
  }
  return null;
}

/** "the file", "that file" and nothing that names it. */
function isTheFile(place: Place, at: number): boolean {
  return (
    ['the', 'that', 'this'].includes(valueAt(place, at)) &&
    valueAt(place, at + 1) === 'file' &&
    nameAt(place, at + 2) === null &&
    !['called', 'named'].includes(valueAt(place, at + 2))
  );
}

/** Paths joined by commas and "and", the longest list first. */
function readList(place: Place, at: number): Read<string[]>[] {
  const found: Read<string[]>[] = [];
  const paths: string[] = [];
  let i = at;
  for (;;) {
    const name = nameAt(place, i);
    if (name === null) break;
    paths.push(name);
    i += 1;
    found.unshift({ value: [...paths], next: i });
    const joint = /^(?:,|and|&)$/.test(valueAt(place, i)) ? 1 : 0;
    if (joint === 0) break;
    i += joint + (valueAt(place, i) === ',' && valueAt(place, i + 1) === 'and' ? 1 : 0);
  }
  return found;
}

/** Every way to read files at `at`, the one with most words first. */
export function readFiles(place: Place, at: number): Read<Files>[] {
  const set = readSet(place, at);
  if (set !== null) return [{ value: { kind: 'set', set: set.value }, next: set.next }];
  const { paths } = place.focus;
  if (pronouns.includes(valueAt(place, at)) || isTheFile(place, at)) {
    const next = at + (isTheFile(place, at) ? 2 : 1);
    const plural = ['them', 'both', 'these'].includes(valueAt(place, at));
    if (paths.length === 0 || plural !== paths.length > 1) return [];
    return [{ value: { kind: 'paths', paths, folder: false }, next }];
  }
  const { next, folder, count } = readNoun(place, at);
  if (folder) {
    const name = nameAt(place, next) ?? plainWord(place, next);
    if (name === null) return [];
    return [{ value: { kind: 'paths', paths: [tidyPath(name)], folder: true }, next: next + 1 }];
  }
  return readList(place, next)
    .filter(({ value }) => count === null || value.length === count)
    .map(({ value, next: end }) => ({
      value: {
        kind: 'paths',
        paths: value.map((path) => path.replace(/^\.\//, '')),
        folder: value.length === 1 && value[0]?.endsWith('/') === true,
      },
      next: end,
    }));
}

function plainWord({ tokens, end }: Place, at: number): string | null {
  const token = at < end ? tokens[at] : undefined;
  return token?.kind === 'word' &&
    !/^(?:it|them|there|here|this|that|an?|all|every|new|other|parent|same|top)$/.test(token.value)
    ? token.text
    : null;
}

/** Where files go: a path, "the archive folder", a folder by its bare name. A folder ends in "/". */
export function readPlace(place: Place, at: number): Read<string> | null {
  if (valueAt(place, at) === 'the' || folderNoun.includes(valueAt(place, at))) {
    let i = valueAt(place, at) === 'the' ? at + 1 : at;
    if (['workspace', 'root'].includes(valueAt(place, i))) return { value: './', next: i + 1 };
    const before = folderNoun.includes(valueAt(place, i));
    if (before) i += ['called', 'named'].includes(valueAt(place, i + 1)) ? 2 : 1;
    const name = nameAt(place, i) ?? plainWord(place, i);
    if (name === null) return null;
    if (before) return { value: `${tidyPath(name)}/`, next: i + 1 };
    return folderNoun.includes(valueAt(place, i + 1))
      ? { value: `${tidyPath(name)}/`, next: i + 2 }
      : null;
  }
  const name = nameAt(place, at);
  if (name !== null) return { value: name, next: at + 1 };
  const word = plainWord(place, at);
  const closes = folderNoun.includes(valueAt(place, at + 1)) ? 2 : 1;
  return word === null ? null : { value: `${word}/`, next: at + closes };
}

/** Where files are put. A bare word is no folder where it may be a person or a day: "copy it to Ana". */
export function readPlaces(place: Place, at: number): Read<string[]> | null {
  const [list] = readList(place, at);
  if (list !== undefined && list.value.length > 1) return list;
  const single = readPlace(place, at);
  const word = place.tokens[at];
  const isFolder =
    word?.kind !== 'word' ||
    single?.next !== at + 1 ||
    (/^\p{Ll}/u.test(word.text) &&
      readMoment(place, at) === null &&
      readPeople(place, at)?.value[0] != null);
  if (!isFolder) return null;
  return single === null ? null : { value: [single.value], next: single.next };
}

const everything = ['everything', 'all', 'every', 'each'];

/** "all .log files in logs except today.log", "every file in data/", "everything in inbox", "*.txt". */
export function readSet(place: Place, at: number): Read<FileSet> | null {
  let i = at;
  let pattern: string | null = null;
  let folders = false;
  let folder = '';
  const starred = place.tokens[i];
  if (starred?.kind === 'path' && starred.value.includes('*') && i < place.end) {
    pattern = baseName(starred.value);
    folder = folderOf(starred.value);
    if (folder.includes('*')) return null;
    return readExcept(place, i + 1, { folder, pattern, except: [], folders: false });
  }
  const first = valueAt(place, i);
  if (!everything.includes(first)) return null;
  i += 1;
  if (first === 'everything') folders = true;
  else {
    if (valueAt(place, i) === 'of') i += 1;
    if (['the', 'my', 'our'].includes(valueAt(place, i))) i += 1;
    const kind = place.tokens[i];
    const extension = /^(?:\*?\.)?([\p{L}\p{N}]{1,12})$/u.exec(kind?.value ?? '')?.[1];
    const dotted = kind?.kind === 'path' && extension !== undefined;
    const known =
      kind?.kind === 'word' && /^(?:log|txt|md|csv|json|pdf|markdown|text)$/.test(kind.value);
    const plural = kind?.kind === 'word' && /^(?:txt|md|csv|json|pdf)s$/.test(kind.value);
    const bare = kind !== undefined && noun.includes(kind.value);
    if (extension !== undefined && i < place.end && !bare && (dotted || known || plural)) {
      const name = plural ? extension.slice(0, -1) : extension;
      pattern = `*.${name === 'markdown' ? 'md' : name === 'text' ? 'txt' : name}`;
      i += 1;
    }
    if (['file', 'files'].includes(valueAt(place, i))) i += 1;
    else if (!dotted && !plural) return null;
    if (valueAt(place, i) === 'and' && /^(?:folders|directories)$/.test(valueAt(place, i + 1)))
      [folders, i] = [true, i + 2];
  }
  if (['in', 'inside', 'under', 'from', 'of'].includes(valueAt(place, i))) {
    const where = readPlace(place, i + 1);
    if (where === null) return null;
    folder = tidyPath(where.value).replace(/^\.$/, '');
    i = where.next;
  }
  return readExcept(place, i, { folder, pattern, except: [], folders });
}

function readExcept(place: Place, at: number, set: FileSet): Read<FileSet> | null {
  let i = valueAt(place, at) === ',' ? at + 1 : at;
  if (valueAt(place, i) === 'except' || valueAt(place, i) === 'excluding') i += 1;
  else if (valueAt(place, i) === 'but' && valueAt(place, i + 1) === 'not') i += 2;
  else return { value: set, next: at };
  if (valueAt(place, i) === 'for') i += 1;
  const [list] = readList(place, i);
  return list === undefined
    ? null
    : { value: { ...set, except: list.value.map(tidyPath) }, next: list.next };
}

/** As in a shell, a star does not stand for the dot at the beginning of a hidden file's name. */
export function matchesPattern(path: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  const name = baseName(path).normalize('NFC');
  if (name.startsWith('.') && pattern.startsWith('*')) return false;
  const [first = '', ...rest] = pattern.normalize('NFC').toLowerCase().split('*');
  const last = rest.pop();
  const text = name.toLowerCase();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.startsWith(first) && text.endsWith(last) && at + last.length <= text.length;
}

export function isNamed(path: string, name: string): boolean {
  const [one, other] = [path.normalize('NFC'), name.normalize('NFC')];
  return one === other || (!other.includes('/') && baseName(one) === other);
}

export function describeSet({ folders, pattern }: FileSet): string {
  const what = folders ? 'files or folders' : 'files';
  return pattern === null ? what : `${what} that match ${pattern}`;
}
