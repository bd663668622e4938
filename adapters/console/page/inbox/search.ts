// Parses the inbox search: words, `from:`, `tool:`, `status:`.
import type { InboxGroup } from '#domain/plan/inbox.ts';

export type Search = { words: string; person: string; tool: string; group: string };

const fields: Record<string, 'person' | 'tool'> = { from: 'person', tool: 'tool' };
const parts = /(?:(from|tool|status):)?(?:"([^"]*)"?|(\S+))/giu;

const groups: Record<string, InboxGroup> = {
  ...{ waiting: 'needs_you', running: 'running', failed: 'failed', others: 'others', done: 'done' },
};

/** `from:"Ana Lopez" tool:http march`; the last of several persons or tools counts. */
export function parseSearch(text: string): Search {
  const search: Search = { words: '', person: '', tool: '', group: '' };
  for (const [whole, key = '', quoted, plain] of text.matchAll(parts)) {
    const value = (quoted ?? plain ?? '').trim();
    // Ignores a prefix without a value.
    if (value === '' || /^(?:from|tool|status):$/iu.test(whole)) continue;
    const field = fields[key.toLowerCase()];
    const group = key.toLowerCase() === 'status' ? groups[value.toLowerCase()] : undefined;
    if (field !== undefined) search[field] = value;
    else if (group !== undefined) search.group = group;
    else search.words = `${search.words} ${value}`.trim();
  }
  return search;
}

export function toQuery(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parseSearch(text)).filter(([, value]) => value !== ''));
}
