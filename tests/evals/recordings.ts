// Recorded replies of a model: found by what a request says that is not always the same, and shown with what differs when
// there is none. One YAML file for each category, with a list of replies for each case.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { Document, isCollection, isMap, parse, visit } from 'yaml';
import { z } from 'zod';
import { JsonObject } from '#domain/text.ts';

/** The calls of a reply, each a name with its arguments; or words. */
const Reply = z.strictObject({
  /** The model that gave it; left out: it was written by hand. */
  by: z.string().exactOptional(),
  calls: z.array(z.record(z.string(), JsonObject)).exactOptional(),
  says: z.string().exactOptional(),
});
export type Reply = z.infer<typeof Reply>;

/** `sees`: what the request has more than the one before it; all of it where it is no longer the same conversation. */
const Recorded = z.strictObject({
  anew: z.literal(true).exactOptional(),
  sees: z.array(z.string()).exactOptional(),
  ...Reply.shape,
});
type Recorded = z.infer<typeof Recorded>;
const Recordings = z.record(z.string(), z.array(Recorded));
export type Recordings = z.infer<typeof Recordings>;

const folder = join(import.meta.dirname, 'recordings');
/** Characters of a message that are kept; a longer one is told apart by its digest. */
const maxKept = 1500;

/** Files that are not there yet hold nothing. */
export async function readRecordings(category: string): Promise<Recordings> {
  const text = await readFile(join(folder, `${category}.yaml`), 'utf8').catch(() => '{}');
  return Recordings.parse(parse(text) ?? {});
}

/** Collections around the value of an argument: cases, replies, a reply, its calls, a call, arguments. */
const argumentDepth = 6;

/** Each step, and each object among the arguments of a call, is written on one line. */
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

/** Lines of the briefing that are rules: how to talk, how finely to plan, and what a stage is for. */
const rules = /^(?:How they like it: |Granularity |Extensive (?:reasoning|planning)|Now: ).*\n?/gm;

/** How nearly every case begins: a recording says only who else asks, another time, and what is there. */
const usual =
  /^ana asks\. Now it is Wednesday, 2026-03-04, 11:00 for them, in Europe\/Berlin\.\n?|^<untrusted source="around">\nWorkspace: empty\n<\/untrusted>\n?/gm;

/** A request without the system prompt, its rules, the usual beginning and what the replies before it said. */
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

/** A case's recording, as whole requests. */
function unfold(recorded: Recorded[]): { seen: string[] | null; reply: Recorded }[] {
  let before: string[] = [];
  return recorded.map((reply) => {
    if (reply.sees === undefined) return { seen: null, reply };
    before = reply.anew === true ? reply.sees : [...before, ...reply.sees];
    return { seen: before, reply };
  });
}

/** One more request of a case, as it is recorded. */
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
  /** The reply that was recorded for a request; what is wrong where there is none. */
  find(seen: string[]): Reply | { missing: string };
  /** The requests as they came this time, with the replies they got. */
  taken(): Recorded[];
};

/** @param byPlace replies are taken in order, regardless of the requests: to renew the recordings */
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
