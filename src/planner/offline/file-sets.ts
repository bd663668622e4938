// Files meant by a description: "everything in tmp/", "each markdown file", "*.log", "all files except a.txt".
// A description that is only understood in part is left to the check of unread words.
import type { Entry } from './look-up.ts';
import { readFolder } from './objects.ts';
import { baseName, findPaths, tidyPath } from './paths.ts';
import type { FileSet, ReadingContext } from './reading.ts';

const kinds: Record<string, string> = {
  text: '*.txt',
  markdown: '*.md',
  yaml: '*.yaml',
  python: '*.py',
  javascript: '*.js',
  typescript: '*.ts',
  excel: '*.xlsx',
  word: '*.docx',
};
/** Extensions that also stand alone, as in "every log" and "all csvs". */
const extensions =
  'txt|md|log|json|csv|tsv|pdf|ya?ml|html?|xml|png|jpe?g|gif|svg|docx?|xlsx?|pptx?|ics|zip|toml|ini|sql|py|js|ts|css|sh|tmp|bak';
const kindWords = `\\.[\\p{L}\\p{N}]{1,12}|${extensions}|${Object.keys(kinds).join('|')}`;
const fileNouns = 'files?|documents?|notes|entries|ones|items?';
const determiner = String.raw`(?:all|every|each)(?:\s+(?:one\s+)?of)?(?:\s+(?:the|my|our|these|those))?(?:\s+single)?`;

const everything =
  /\beverything\b|\b(?:all|every|each)\s+(?:(?:of\s+)?(?:the|my|our)\s+)?(?:things?|stuff|contents?|files?\s+and\s+(?:sub)?(?:folders?|director(?:y|ies))|(?:folders?|director(?:y|ies))\s+and\s+files?)\b|\b(?:the\s+)?(?:whole\s+|entire\s+|all\s+)?contents?\s+of\b|\ball\s+(?=(?:in|inside|under|from|of)\b)/iu;
const described = new RegExp(
  String.raw`\b${determiner}\s+(?:(${kindWords})s?(?:\s+(?:${fileNouns}))?|(?:${fileNouns}))(?![\p{L}\p{N}.])`,
  'iu',
);
const plural = new RegExp(
  String.raw`(?:^|\b(?:the|my|our)\s+)(\.[\p{L}\p{N}]{1,12}|${extensions}|${Object.keys(kinds).join('|')})\s+files\b`,
  'iu',
);
const glob =
  /(?:^|\s)((?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_.-]*\*[\p{L}\p{N}_.*-]*)(?=$|[\s,;:!?])/iu;
const exception =
  /[\s,]+(?:(?:but|and)\s+not|except(?:ing)?(?:\s+for)?|excluding|apart\s+from|other\s+than|besides|but|save\s+for|not)\s+((?:(?:the\s+)?(?:files?\s+)?)[\s\S]+?)(?=\s+(?:to|into)\s+|$)/iu;

/** Takes "except a.txt and b.txt" out of `text`. The names are kept only when that is all it says. */
export function takeException(
  text: string,
  context: ReadingContext,
): { text: string; except: string[]; said: string } {
  const match = exception.exec(text);
  const paths = match?.[1] ? findPaths(match[1], context.shielded, true) : [];
  if (!match || paths.length === 0) return { text, except: [], said: '' };
  return {
    text: text.replace(match[0], ''),
    except: paths.map((item) => tidyPath(item.path)),
    said: match[0],
  };
}

/** null when no set is meant. */
export function readFileSet(given: string, context: ReadingContext): FileSet | null {
  const { text, except, said } = takeException(given, context);
  const recursive =
    /\brecursive(?:ly)?\b|\b(?:and|with|including)\s+(?:all\s+)?(?:its\s+|the\s+)?sub-?(?:folders?|director\w+)\b|\bin\s+(?:all|every|each)\s+(?:sub-?)?folders?\b/i.exec(
      text,
    );
  const base = { except, recursive: recursive ? true : null };
  const saidToo = `${said} ${recursive?.[0] ?? ''}`;
  const starred = glob.exec(text)?.[1];
  if (starred) {
    const folder = starred.includes('/')
      ? starred.slice(0, starred.lastIndexOf('/'))
      : readSetFolder(text, context);
    const pattern = starred.slice(starred.lastIndexOf('/') + 1);
    const flat = starred.includes('/') && !recursive ? false : base.recursive;
    return {
      ...base,
      folder,
      pattern,
      recursive: pattern === '*' ? false : flat,
      folders: pattern === '*',
      said: `${starred} ${saidToo} all every each files`,
    };
  }
  const whole = everything.exec(text);
  if (whole) {
    const after = text.slice(whole.index + whole[0].length);
    const folder = readSetFolder(/\bof\s*$/i.test(whole[0]) ? `of ${after}` : after, context);
    return {
      ...base,
      folder,
      pattern: null,
      recursive: base.recursive ?? false,
      folders: true,
      said: `${whole[0]} ${saidToo}`,
    };
  }
  const match = described.exec(text) ?? plural.exec(text);
  if (!match) return null;
  const kind = (match[1] ?? '').toLowerCase();
  return {
    ...base,
    folder: readSetFolder(text.slice(match.index + match[0].length), context),
    pattern: kind === '' ? null : (kinds[kind] ?? `*.${kind.replace(/^\./, '')}`),
    folders: false,
    said: `${match[0]} ${saidToo}`,
  };
}

function readSetFolder(text: string, context: ReadingContext): string {
  const where = /\b(?:in|inside|under|from|of|within|at)\s+([\s\S]+)$/i.exec(text)?.[1] ?? '';
  if (
    where === '' ||
    /^(?:the\s+|my\s+|our\s+)?(?:workspace|root|current folder|here)\b/i.test(where)
  )
    return '';
  const folder = readFolder(where, context);
  if (folder) return tidyPath(folder);
  const [path] = findPaths(where, context.shielded, true);
  if (path) return tidyPath(path.path);
  const word = /^(?:the\s+)?([\p{L}\p{N}_][\p{L}\p{N}_.\-/]*)/iu.exec(where)?.[1];
  return word ? tidyPath(word) : '';
}

/** As in a shell, a star does not stand for the dot at the beginning of a hidden file's name. */
export function matchesPattern(path: string, pattern: string | null): boolean {
  if (pattern === null) return true;
  const name = baseName(path);
  if (name.startsWith('.') && pattern.startsWith('*')) return false;
  const expression = pattern
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, 'i').test(name);
}

/** The entries a set means, out of all that are listed below its folder. */
export function selectEntries(entries: Entry[], files: FileSet): Entry[] {
  return entries.filter(
    (entry) =>
      (files.folders || !entry.folder) &&
      matchesPattern(entry.path, files.pattern) &&
      !files.except.some((left) => isNamed(entry.path, left) || entry.path.startsWith(`${left}/`)),
  );
}

/** Whether `name` means this entry; a name without a folder means it wherever it is. */
export function isNamed(path: string, name: string): boolean {
  return path === name || (!name.includes('/') && baseName(path) === name);
}

/** "files that match *.log", "files". */
export function describeSet(files: FileSet): string {
  const what = files.folders ? 'files or folders' : 'files';
  return files.pattern === null ? what : `${what} that match ${files.pattern}`;
}
