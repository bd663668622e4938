// Recorded replies, found by the variable part of their request.
// A YAML file per category, with a list of replies per case.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { Document, isCollection, isMap, parse, visit } from 'yaml';
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';

const Reply = z.strictObject({
  /** Missing if written by hand. */
  by: z.string().exactOptional(),
  calls: z.array(z.record(z.string(), JsonObject)).exactOptional(),
  says: z.string().exactOptional(),
});
export type Reply = z.infer<typeof Reply>;

/** `sees`: what the previous request did not have. */
const Recorded = z.strictObject({
  anew: z.literal(true).exactOptional(),
  sees: z.array(z.string()).exactOptional(),
  ...Reply.shape,
});
type Recorded = z.infer<typeof Recorded>;
const Recordings = z.record(z.string(), z.array(Recorded));
export type Recordings = z.infer<typeof Recordings>;

const folder = join(import.meta.dirname, 'recordings');
/** Characters; longer messages are identified by their digest. */
const maxKept = 1500;

export async function readRecordings(category: string): Promise<Recordings> {
  const text = await readFile(join(folder, `${category}.yaml`), 'utf8').catch(() => '{}');
  return Recordings.parse(parse(text) ?? {});
}

/** Collections around an argument's value, cases first. */
const argumentDepth = 6;

/** Steps and objects in arguments take one line each. */
export async function writeRecordings(category: string, recordings: Recordings): Promise<void> {
  const document = new Document(recordings, { aliasDuplicateObjects: false });
  document.commentBefore = ' Written by hand, except for replies that say by which model.';
  visit(document, {
    Collection(_, node, path) {
      const depth = path.filter(isCollection).length;
      if (depth > argumentDepth || (depth === argumentDepth && isMap(node))) node.flow = true;
    },
  });
  await writeFile(join(folder, `${category}.yaml`), document.toString({ lineWidth: 0 }));
}

export type Message = { role: string; content?: string | null | undefined };

const rules = /^(?:How they like it: |Granularity |Extensive (?:reasoning|planning)|Now: ).*\n?/gm;

/** Recordings have only the differences. */
const usual =
  /^ana asks\. Now it is Wednesday, 2026-03-04, 11:00 for them, in Europe\/Berlin\.\n?|^<untrusted source="around">\nWorkspace: empty\n<\/untrusted>\n?/gm;

/** Only the variable part. */
export function normalise(messages: Message[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'system' || !content) return [];
    if (role !== 'user') return [shorten(`${role}: ${content}`)];
    const text = content.replace(rules, '').replace(usual, '').trim();
    return text === '' ? [] : [shorten(text)];
  });
}

function shorten(text: string): string {
  if (text.length <= maxKept) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, maxKept).toWellFormed()}… (${text.length} characters, ${digest})`;
}

const digestOf = (seen: string[]) =>
  createHash('sha256').update(JSON.stringify(seen)).digest('hex');

function unfold(recorded: Recorded[]): { seen: string[] | null; reply: Recorded }[] {
  let before: string[] = [];
  return recorded.map((reply) => {
    if (reply.sees === undefined) return { seen: null, reply };
    before = reply.anew === true ? reply.sees : [...before, ...reply.sees];
    return { seen: before, reply };
  });
}

export function fold(seen: string[], before: string[], { by, calls, says }: Reply): Recorded {
  const continues = before.every((one, index) => one === seen[index]);
  return {
    ...(continues ? {} : { anew: true }),
    sees: continues ? seen.slice(before.length) : seen,
    ...(by === undefined ? {} : { by }),
    ...(calls === undefined ? {} : { calls }),
    ...(says === undefined ? {} : { says }),
  };
}

export type Replay = {
  /** `missing`: why there is none. */
  find(seen: string[]): Reply | { missing: string };
  taken(): Recorded[];
};

/** @param byPlace replies in order, to renew the recordings */
export function replay(recorded: Recorded[], byPlace: boolean): Replay {
  const known = unfold(recorded);
  const taken: Recorded[] = [];
  let before: string[] = [];
  const used = new Set<Recorded>();
  return {
    find(seen) {
      const place = known[taken.length];
      const digest = digestOf(seen);
      const same = ({ seen: other, reply }: (typeof known)[number]) =>
        other !== null && !used.has(reply) && digestOf(other) === digest;
      const found = byPlace ? place : known.find(same);
      if (found === undefined) return { missing: describeMiss(seen, place?.seen ?? null) };
      used.add(found.reply);
      taken.push(fold(seen, before, found.reply));
      before = seen;
      return found.reply;
    },
    taken: () => taken,
  };
}

function describeMiss(seen: string[], recorded: string[] | null): string {
  const write = (lines: string[]) => lines.join('\n\n');
  if (recorded === null) return `no reply is recorded for this request:\n${write(seen)}`;
  const patch = createTwoFilesPatch('recorded', 'came', write(recorded), write(seen), '', '', {
    context: 2,
  });
  return `no reply is recorded for this request; it differs from the one at this place:\n${patch}`;
}
