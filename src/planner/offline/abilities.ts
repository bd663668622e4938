// What this instance can do and what it can't, in words made from the manifest.
import type { OperationSpec } from '#contracts/tool.ts';
import { bindFamily } from './families.ts';
import { readLeadVerb, stripClosing, stripPoliteness } from './lexicon.ts';

/** "read and write files in the workspace, call web addresses, and ask people" */
export function describeAbilities(manifest: OperationSpec[]): string {
  const builtin = manifest.filter((spec) => spec.source === 'builtin');
  const can = (...families: Parameters<typeof bindFamily>[0][]) =>
    families.map((family) => bindFamily(family, builtin));
  const abilities: string[] = [];
  const [read, write, move, remove] = can('read', 'write', 'move', 'delete');
  const verbs = [
    read ? 'read' : '',
    write ? 'write' : '',
    write ? '' : move ? 'move' : '',
    write ? '' : remove ? 'delete' : '',
  ].filter(Boolean);
  if (verbs.length > 0) abilities.push(`${joinWords(verbs)} files in the workspace`);
  if (can('fetch', 'request').some(Boolean)) abilities.push('call web addresses');
  if (can('post').some(Boolean)) abilities.push('post here');
  if (can('remind').some(Boolean)) abilities.push('remind you');
  if (can('calendar_read', 'calendar_add').some(Boolean)) abilities.push('keep your calendar');
  if (can('compose', 'summarize').some(Boolean)) abilities.push('write and summarise text');
  if (can('ask').some(Boolean)) abilities.push('ask people');
  for (const tool of new Set(
    manifest.filter((spec) => spec.source === 'mcp').map((spec) => spec.tool),
  )) {
    const operations = manifest.filter((spec) => spec.source === 'mcp' && spec.tool === tool);
    const onFiles = (['read', 'write', 'move', 'delete'] as const).filter(
      (family) => bindFamily(family, operations) !== null,
    );
    if (onFiles.length > 0) {
      abilities.push(`${joinWords(onFiles)} files with ${tool}`);
      continue;
    }
    const shown = operations.slice(0, 4).map((spec) => spec.operation);
    const more = operations.length - shown.length;
    abilities.push(`use ${tool} (${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`);
  }
  return abilities.length === 0
    ? 'do nothing yet, since no tools are configured'
    : joinWords(abilities, true);
}

/** "a, b and c"; with `comma` also before the "and", as a list of phrases needs it. */
export function joinWords(words: string[], comma = false): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')}${comma && words.length > 2 ? ',' : ''} and ${words.at(-1)}`;
}

export function describeCannot(wanted: string, manifest: OperationSpec[]): string {
  return `No connected tool can ${wanted}. I can ${describeAbilities(manifest)}.`;
}

const plainUnits = /(?:s|ss|x|z|ch|sh)$/i;

/** What was asked for, as it follows "I can't": "Book me a flight" → "book flights". */
export function describeWanted(clause: string): string {
  const text = stripClosing(stripPoliteness(clause)).replace(/[.!?]+$/, '');
  const lead = readLeadVerb(text);
  const verb = lead?.verb ?? text.split(/\s+/, 1)[0]?.toLowerCase() ?? 'do that';
  const rest = (lead?.rest ?? text.slice(verb.length))
    .trim()
    .replace(/^(?:me|us|him|her|them)\s+/i, '');
  const indefinite =
    /^(?:an?|another|some)\s+([\p{L}][\p{L}'-]*(?:\s+(?!(?:to|for|from|on|at|in|with|by|of|about|and|that|which|tomorrow|today|next|this|please)\b)[\p{L}][\p{L}'-]*){0,2})/iu.exec(
      rest,
    );
  if (indefinite?.[1]) return `${verb} ${pluralise(indefinite[1].toLowerCase())}`;
  const short = rest.length > 80 ? `${rest.slice(0, 77)}…` : rest;
  return `${verb} ${short}`.trim();
}

function pluralise(words: string): string {
  if (/[^s]s$/i.test(words)) return words;
  if (/[^aeiou]y$/i.test(words)) return `${words.slice(0, -1)}ies`;
  return plainUnits.test(words) ? `${words}es` : `${words}s`;
}
