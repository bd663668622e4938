// Looks up what a plan needs to name before it can be drafted: the files of a set, the old text of an edit.
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { Json } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import type { PlannerTools } from '../ports.ts';
import { bindFamily } from './families.ts';
import type { FileState } from './file-history.ts';
import { describeSet, isNamed, selectEntries } from './file-sets.ts';
import { type Entry, readEntries, readText } from './look-up.ts';
import { tidyPath } from './paths.ts';
import { questions } from './questions.ts';
import type { Edit, FileSet, Intent } from './reading.ts';
import { fillRoles } from './schema-fields.ts';

export type Resolved =
  | { ok: true; intents: Intent[] }
  | { ok: false; text: string }
  /** Something is to be asked first. */
  | { ok: null; question: string };

function bindReadable(
  family: 'list' | 'read',
  tools: PlannerTools,
  tool: string | undefined,
): OperationSpec | null {
  return bindFamily(family, tools.readable(), tool);
}

export type FoundSet = {
  ok: true;
  entries: Entry[];
  below: Entry[];
  left: string[];
  place: string;
};
type Found = FoundSet | { ok: false; text: string };

/** What a set means now: directly in its folder, and in the folders below. */
export async function findSet(
  files: FileSet,
  tools: PlannerTools,
  tool: string | undefined,
  signal: AbortSignal,
): Promise<Found> {
  const spec = bindReadable('list', tools, tool);
  if (!spec)
    return {
      ok: false,
      text: 'I cannot see which files there are: no tool I may use while planning lists them.',
    };
  const folder = tidyPath(files.folder);
  const place = folder === '' ? 'the workspace' : folder;
  try {
    const args = fillRoles(spec, {
      path: folder === '' ? '.' : folder,
      recursive: files.recursive === false ? null : true,
    });
    const { data } = await tools.call(spec.name, args, signal);
    const entries = readEntries(data);
    if (entries === null)
      return { ok: false, text: `I cannot read the listing of ${place} that ${spec.name} gave.` };
    if (isTruncated(data))
      return { ok: false, text: `${place} holds more than I can list. Name a folder inside it.` };
    const prefix = folder === '' ? '' : `${folder}/`;
    const named = entries.map((entry) => ({
      ...entry,
      path: entry.path.startsWith(prefix) ? entry.path : prefix + entry.path,
    }));
    const chosen = selectEntries(named, files);
    const isBelow = (entry: Entry) => entry.path.slice(prefix.length).includes('/');
    return {
      ok: true,
      entries: chosen.filter((entry) => !isBelow(entry)),
      below: chosen.filter(isBelow),
      left: files.except.filter((path) => named.some((entry) => isNamed(entry.path, path))),
      place,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, text: `I cannot see which files are in ${place}. ${errorMessage(error)}` };
  }
}

function isTruncated(data: Json): boolean {
  return (
    typeof data === 'object' && data !== null && 'truncated' in data && data.truncated === true
  );
}

/** "all" is meant literally: every file that is there now. What lies in folders below is asked about, not left out. */
export async function resolveSet(
  files: FileSet,
  make: (path: string, folder?: boolean) => Intent | null,
  tools: PlannerTools,
  tool: string | undefined,
  answers: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Resolved> {
  const found = await findSet(files, tools, tool, signal);
  if (!found.ok) return found;
  const unclear = findUnclearException(files, found);
  if (unclear !== null) return { ok: false, text: unclear };
  let { entries } = found;
  if (found.below.length > 0) {
    const question = questions.depth(describeSet(files), found.place, found.below.length);
    const answer = answers.get(question);
    const too =
      files.recursive === true ||
      entries.length === 0 ||
      (answer !== undefined && tooWords.test(answer));
    if (!too && answer === undefined) return { ok: null, question };
    if (too) entries = [...entries, ...found.below];
  }
  if (entries.length === 0) {
    const except = files.except.length > 0 ? ` except ${files.except.join(' and ')}` : '';
    return {
      ok: false,
      text: `There are no ${describeSet(files)}${except} in ${found.place}, so there is nothing to do.`,
    };
  }
  const intents = entries
    .map((entry) => make(entry.path, entry.folder))
    .filter((intent) => intent !== null)
    .filter((intent) => intent.act !== 'move' || tidyPath(intent.from) !== tidyPath(intent.to));
  return findClash(intents) ?? { ok: true, intents };
}

const tooWords =
  /^\s*(?:y|yes|yep|yeah|sure|all|also|too|both|those too|everything|include)\b|\btoo\b|\bas well\b/i;

/** What is left out must be there, and not lie inside a folder that is meant as a whole. */
function findUnclearException(files: FileSet, found: FoundSet): string | null {
  for (const left of files.except) {
    const around = found.entries.find((entry) => entry.folder && left.startsWith(`${entry.path}/`));
    if (around)
      return `${left} lies in ${around.path}, which would be taken as a whole. Name the files one by one.`;
    if (!found.left.includes(left))
      return `There is no ${left} in ${found.place} to leave out, so I stop before doing more than you want.`;
  }
  return null;
}

/** Two files of the same name cannot both go to one folder. */
function findClash(intents: Intent[]): Resolved | null {
  const places = new Set<string>();
  for (const intent of intents) {
    if (intent.act !== 'move' && intent.act !== 'copy') continue;
    if (places.has(intent.to))
      return {
        ok: false,
        text: `Two of the files would go to ${intent.to}. Name them one by one.`,
      };
    places.add(intent.to);
  }
  return null;
}

/** An edit becomes a write of the whole new text; a missing file counts as empty when text is added. */
export async function resolveEdit(
  path: string,
  edit: Edit,
  state: FileState,
  tools: PlannerTools,
  tool: string | undefined,
  signal: AbortSignal,
): Promise<Resolved> {
  const spec = bindReadable('read', tools, tool);
  if (!spec)
    return {
      ok: false,
      text: `I cannot see what ${path} says now: no tool I may use while planning reads files.`,
    };
  if (state.kind === 'unknown')
    return {
      ok: false,
      text: `I cannot know yet what ${path} will say by then, so I cannot change words in it. Ask for that once the rest is done.`,
    };
  let old: string | null = state.kind === 'text' ? state.text : null;
  try {
    if (state.kind === 'as_now') {
      const { data } = await tools.call(spec.name, fillRoles(spec, { path: state.path }), signal);
      old = readText(data);
      if (old === null)
        return { ok: false, text: `${path} is not text, so I cannot change words in it.` };
    }
  } catch (error) {
    signal.throwIfAborted();
    const unusable = !(error instanceof CountersignError) || edit.kind === 'replace';
    if (unusable) return { ok: false, text: `I cannot read ${path}. ${errorMessage(error)}` };
  }
  const text = applyEdit(old ?? '', edit);
  if (text === null)
    return {
      ok: false,
      text: `${path} does not contain the words to replace, so there is nothing to do.`,
    };
  return {
    ok: true,
    intents: [{ act: 'write', path, content: { kind: 'text', text }, overwrite: true }],
  };
}

function applyEdit(old: string, edit: Edit): string | null {
  switch (edit.kind) {
    case 'append':
      return old === '' || old.endsWith('\n') ? `${old}${edit.text}\n` : `${old}\n${edit.text}`;
    case 'prepend':
      return `${edit.text}\n${old}`;
    case 'replace':
      return edit.old !== '' && old.includes(edit.old)
        ? old.replaceAll(edit.old, () => edit.new)
        : null;
    default:
      return edit satisfies never;
  }
}
