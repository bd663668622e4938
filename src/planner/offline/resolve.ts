// Looks up what a plan needs to name before it can be drafted: the files of a set, the old text of an edit.
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/tool.ts';
import type { PlannerTools } from '../ports.ts';
import { bindFamily } from './families.ts';
import { readEntries, readText } from './look-up.ts';
import { matchesPattern } from './objects.ts';
import { tidyPath } from './paths.ts';
import type { Edit, FileSet, Intent } from './reading.ts';
import { fillRoles } from './schema-fields.ts';

export type Resolved = { ok: true; intents: Intent[] } | { ok: false; text: string };

function bindReadable(
  family: 'list' | 'read',
  tools: PlannerTools,
  tool: string | undefined,
): OperationSpec | null {
  return bindFamily(family, tools.readable(), tool);
}

/** "all" is meant literally: every file that is there now. */
export async function resolveSet(
  files: FileSet,
  make: (path: string) => Intent | null,
  tools: PlannerTools,
  tool: string | undefined,
  signal: AbortSignal,
): Promise<Resolved> {
  const spec = bindReadable('list', tools, tool);
  if (!spec)
    return {
      ok: false,
      text: 'I cannot see which files there are: no tool I may use while planning lists them.',
    };
  const place = files.folder === '' ? 'the workspace' : files.folder;
  try {
    const args = fillRoles(spec, {
      path: files.folder === '' ? '.' : files.folder,
      recursive: files.recursive || null,
    });
    const { data } = await tools.call(spec.name, args, signal);
    const entries = readEntries(data);
    if (entries === null)
      return { ok: false, text: `I cannot read the listing of ${place} that ${spec.name} gave.` };
    const folder = tidyPath(files.folder);
    const paths = entries
      .filter((entry) => !entry.folder && matchesPattern(entry.path, files.pattern))
      .map((entry) =>
        folder === '' || entry.path.startsWith(`${folder}/`)
          ? entry.path
          : `${folder}/${entry.path}`,
      );
    const what = files.pattern === null ? 'files' : `files that match ${files.pattern}`;
    if (paths.length === 0)
      return { ok: false, text: `There are no ${what} in ${place}, so there is nothing to do.` };
    return { ok: true, intents: paths.map(make).filter((intent) => intent !== null) };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, text: `I cannot see which files are in ${place}. ${errorMessage(error)}` };
  }
}

/** An edit becomes a write of the whole new text; a missing file counts as empty when text is added. */
export async function resolveEdit(
  path: string,
  edit: Edit,
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
  let old: string | null = null;
  try {
    const { data } = await tools.call(spec.name, fillRoles(spec, { path }), signal);
    old = readText(data);
    if (old === null)
      return { ok: false, text: `${path} is not text, so I cannot change words in it.` };
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
