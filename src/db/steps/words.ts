// Finds steps that contain all of some words, in any case and order.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';

const maxWords = 20;

/** `words` as patterns of `like`, one a word. */
export function patternsOf(words: string): string[] {
  const found = words.split(/\s+/).filter((word) => word !== '');
  return found.slice(0, maxWords).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** The place of a step, where the words are its number and nothing else. */
export function numberIn(words: string): number | null {
  const found = /^#?(\d{1,9})$/.exec(words.trim());
  return found === null ? null : Number(found[1]);
}

/**
 * Whether the row `c` of `plan_steps` says all `patterns`, or stands at place `number`. No index helps: what is looked for can
 * stand in the middle of a word, and trigrams are an extension that not every server has. A plan of 100,000 steps takes half
 * a second.
 */
export const saysWords = (patterns: Placeholder | SQL, number: Placeholder | SQL): SQL => sql`(
  lower(concat_ws(' ', c.step_id, c.description, c.tool || '_' || c.operation, c.partition, c.args::text))
    like all (array(select lower(p) from unnest(${patterns}::text[]) p))
  or c.position = ${number}::int)`;
