// `countersign memory`: a person's notes.
import { memoryWords } from '#cards/memory-words.ts';
import { CountersignError } from '#domain/errors.ts';
import { type MemoryEntry, MemoryNote } from '#domain/people/memory.ts';
import { memoryLimits } from '#domain/people/memory-note.ts';
import type { Service } from '#domain/service.ts';
import { exitCodes } from './exit-codes.ts';
import type { TerminalIo } from './screen.ts';
import { inSession, printJson, type Session } from './session.ts';

export type MemoryOptions = {
  user: string;
  timezone: string;
  verb: 'list' | 'keep' | 'forget';
  /** Text to keep, or number to forget. */
  words: string[];
  /** For `keep`. */
  name?: string;
  json?: boolean;
};

/** @returns an exit code */
export async function memory(
  service: Service,
  options: MemoryOptions,
  io: TerminalIo,
): Promise<number> {
  const work = async (session: Session) => {
    const { entries, message } = await carryOut(session, options);
    if (options.json === true) return printJson(session, { entries });
    if (message !== null) session.say(message);
    else if (entries.length === 0)
      session.say('Nothing yet. Add something: countersign memory keep "Ana is on leave in May"');
    else session.say(...entries.map(memoryWords.line));
    return exitCodes.done;
  };
  return inSession(service, options, io, work, (session, { code }) => {
    if (code === 'limit_exceeded') session.say('To make room: countersign memory forget NUMBER');
  });
}

type Done = { entries: MemoryEntry[]; message: string | null };

async function carryOut(
  { service, actor }: Session,
  { verb, words, user, name }: MemoryOptions,
): Promise<Done> {
  const text = words.join(' ');
  switch (verb) {
    case 'list':
      return { entries: await service.listMemory(user, actor), message: null };
    case 'keep': {
      if (name !== undefined && name.trim().length > memoryLimits.name)
        throw new CountersignError(
          'invalid_request',
          `A name has at most ${memoryLimits.name} characters.`,
        );
      const note = MemoryNote.safeParse({ text, name: name ?? null });
      if (!note.success)
        throw new CountersignError(
          'invalid_request',
          `Pass the text to keep, up to ${memoryLimits.text} characters: countersign memory keep "Ana is on leave in May"`,
        );
      const entry = await service.keepMemory(user, note.data, actor);
      const entries = [entry];
      const undo = `To undo: countersign memory forget ${entry.id}`;
      return { entries, message: `${memoryWords.kept({ entries })} ${undo}` };
    }
    case 'forget': {
      if (!/^\d{1,15}$/.test(text))
        throw new CountersignError(
          'invalid_request',
          'Pass the entry number to forget. countersign memory lists them.',
        );
      const entries = [await service.forgetMemory(user, Number(text), actor)];
      return { entries, message: memoryWords.forgotten({ entries }) };
    }
    default:
      return verb satisfies never;
  }
}
