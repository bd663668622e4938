// The bytes of an ICS file as text: UTF-8 unless they are something else, whichever way they are folded.
import { isUtf8 } from 'node:buffer';
import { CountersignError } from '#domain/errors.ts';

export type IcsText = {
  decode(bytes: Buffer): string;
  /** Text for the same file. @throws CountersignError where it cannot be written in its encoding */
  encode(text: string): Buffer;
};

export function openIcsText(bytes: Buffer, name: string): IcsText {
  const folds = /\r?\n[ \t]/g;
  const unfolded = Buffer.from(bytes.toString('latin1').replace(folds, ''), 'latin1');
  if (isUtf8(unfolded))
    return { decode: (part) => part.toString('utf8'), encode: (text) => Buffer.from(text) };
  return {
    decode: (part) => part.toString('latin1'),
    encode: () => {
      throw new CountersignError(
        'tool_failed',
        `${name} is not UTF-8. Save it as UTF-8 first, or add to another calendar.`,
      );
    },
  };
}
