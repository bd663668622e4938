// remember: keeps the person's own words, confirmed.
import { z } from 'zod';
import { fold, type MemoryNote, tidyNote } from '#domain/people/memory.ts';
import { memoryLimits } from '#domain/people/memory-note.ts';
import { line } from '#domain/text.ts';
import { defineTool } from '../define-tool.ts';
import { fail, type ToolContext, type ToolOutcome } from '../tool.ts';
import { askToKeep } from './ask-to-keep.ts';

/** Adjacent whole words in one text. */
export function standsIn(words: string, texts: readonly string[]): boolean {
  const wanted = fold(words);
  const isLetter = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  return texts.map(fold).some((text) => {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const before = isLetter(text[at - 1]) && isLetter(wanted[0]);
      const after = isLetter(text[at + wanted.length]) && isLetter(wanted.at(-1));
      if (!before && !after) return true;
    }
    return false;
  });
}

const Remember = z.strictObject({
  text: line(memoryLimits.text),
  name: line(memoryLimits.name).nullable().describe('whom it is about'),
});

/** In one message, or the text as the last answer: a file could combine separate ones. */
function isOwn({ name, text }: MemoryNote, ownMessages: readonly string[]): boolean {
  if (name === null) return standsIn(text, ownMessages);
  return (
    ownMessages.some((message) => standsIn(text, [message]) && standsIn(name, [message])) ||
    (standsIn(text, ownMessages.slice(-1)) && standsIn(name, ownMessages))
  );
}

async function remember(
  given: MemoryNote,
  { state, policy, ownWords, ownMessages }: ToolContext,
): Promise<ToolOutcome> {
  const refuse = (why: string) => ({ result: fail(why) });
  if (!ownWords)
    return refuse('Somebody else said that; only the requester has things remembered.');
  const note: MemoryNote = tidyNote(given);
  if (!isOwn(note, ownMessages))
    return refuse(
      'Keep only words they wrote themselves, exactly as written. To keep anything else, ask them with elicit_context.',
    );
  const { known, keep } = state.memory ?? { known: [], keep: [] };
  if (keep.length >= memoryLimits.message)
    return refuse(`At most ${memoryLimits.message} memory changes per message.`);
  return askToKeep({ state, policy }, { memory: { known, keep: [...keep, note] } });
}

export const memoryTool = defineTool({
  name: 'remember',
  description: 'Keeps what they ask you to remember, in exactly their words.',
  input: Remember,
  execute: remember,
});
