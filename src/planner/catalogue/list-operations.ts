// Lists operations in the prompt: in full, by name or by group.
import type { OperationSpec } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { wrapUntrusted } from '../agent/tool-call.ts';
import { type OperationAccess, writeLine } from './describe-operation.ts';
import { splitWords } from './search-operations.ts';

const maxList = 3500;
const maxNames = 80;
const maxSubjects = 8;

export type Catalogue = {
  lines: string[];
  listed: ReadonlySet<string>;
};

/** Characters that `lines` leave of the list. */
export const roomAfter = ({ lines }: Catalogue): number => maxList - lines.join('').length;

const usualOperations = (manifest: OperationSpec[]): OperationSpec[] =>
  manifest.filter(({ seldom }) => seldom !== true);

export function listOperations(
  manifest: OperationSpec[],
  access: OperationAccess,
  most = maxList,
): Catalogue {
  const own: string[] = [];
  const foreign: string[] = [];
  const listed = new Set<string>();
  let length = 0;
  const outputs = new Map<string, string>();
  for (const spec of manifest) {
    const line = `- ${writeLine(spec, access, outputs)}`;
    if (length > 0 && length + line.length > most) continue;
    length += line.length;
    listed.add(spec.name);
    (spec.source === 'mcp' || spec.seen === true ? foreign : own).push(line);
  }
  // Servers' own words are untrusted.
  const marked = foreign.length === 0 ? [] : [wrapUntrusted('servers', foreign.join('\n'))];
  return { lines: [...own, ...marked], listed };
}

export function listCatalogue(manifest: OperationSpec[], access: OperationAccess): Catalogue {
  const usual = usualOperations(manifest);
  const all = listOperations(usual, access);
  if (all.listed.size === usual.length) return all;
  // With many servers connected, calendars are there.
  const isOwn = ({ source, tool }: OperationSpec) => source === 'builtin' && tool !== 'calendar';
  const own = listOperations(usual.filter(isOwn), access);
  const others = usual.filter((spec) => !own.listed.has(spec.name));
  const isNamed = others.filter(({ source }) => source !== 'builtin').length <= maxNames;
  const groups = [...Map.groupBy(others, ({ tool }) => tool)].map(([tool, specs]) =>
    isNamed
      ? `${tool}: ${foldNames(specs.map(({ operation }) => operation)).join(', ')}`
      : describeGroup(tool, specs),
  );
  const head = isNamed
    ? 'Others, named server_operation; "search_operations" tells their arguments:'
    : 'Connected servers, how many operations each has and what about; "search_operations" finds them:';
  return { ...own, lines: [...own.lines, head, wrapUntrusted('servers', groups.join('\n'))] };
}

type Fold = { names: string[]; text: string; saved: number };

const cutName = (name: string): [head: string, tail: string] => {
  const at = name.indexOf('_');
  return at <= 0 || at === name.length - 1 ? ['', name] : [name.slice(0, at), name.slice(at + 1)];
};

/** `get_{deal,note}` or `{list,get}_invoice`, whichever is shorter. */
function foldNames(names: string[]): string[] {
  const folds = ([0, 1] as const).flatMap((shared) =>
    [...Map.groupBy(names, (name) => cutName(name)[shared])].map(([key, alike]): Fold => {
      const rest = alike.map((name) => cutName(name)[1 - shared]);
      const text = shared === 0 ? `${key}_{${rest.join(',')}}` : `{${rest.join(',')}}_${key}`;
      const isFoldable = key !== '' && alike.length > 1 && !rest.includes('');
      const saved = isFoldable ? alike.join(', ').length - text.length : 0;
      return { names: alike, text, saved };
    }),
  );
  const best = folds.toSorted((one, other) => other.saved - one.saved)[0];
  if (best === undefined || best.saved <= 0) return names;
  return [best.text, ...foldNames(names.filter((name) => !best.names.includes(name)))];
}

const verbs = new Set(
  `add archive cancel change check close copy count create delete do download edit export file find get import list make move
  open patch post put query read remove rename run search send set share show start stop sync unshare update upload view`.split(
    /\s+/,
  ),
);

/** `crm: 300 operations (customer 40, invoice 32, …)` */
function describeGroup(tool: string, specs: OperationSpec[]): string {
  const counts = new Map<string, number>();
  for (const { operation } of specs)
    for (const word of new Set(splitWords(operation).toLowerCase().split(' ')))
      if (/^\p{L}{3,}$/u.test(word) && !verbs.has(word))
        counts.set(word, (counts.get(word) ?? 0) + 1);
  const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, maxSubjects);
  const subjects = most.map(([word, count]) => `${word} ${count}`).join(', ');
  return `${tool}: ${countOf(specs.length, 'operation')}${subjects === '' ? '' : ` (${subjects}${counts.size > most.length ? ', …' : ''})`}`;
}
