// Decodes folded ICS files, and encodes text for them.
import { type DecodedText, decodeText, encodePart, encodeText } from '#domain/encoding/encoding.ts';
import { CountersignError } from '#domain/errors.ts';

export type IcsText = {
  bytes: Buffer;
  decode(bytes: Buffer): string;
  /** @throws CountersignError if the encoding lacks a character */
  encode(text: string): Buffer;
  toStored(bytes: Buffer): Buffer;
};

export function openIcsText(stored: Buffer, name: string): IcsText {
  const whole = decodeText(stored);
  const isWide = whole !== null && /^utf-(16|32)/.test(whole.encoding.name);
  if (isWide && /BEGIN:VCALENDAR/i.test(whole.text)) return openWide(whole, name);
  const latin1 = stored.toString('latin1');
  const declared = /;CHARSET="?([\w:.+-]{1,60})/i.exec(latin1)?.[1] ?? null;
  // A fold inside a character hides the encoding; so does a NUL.
  const unfolded = Buffer.from(latin1.replace(/\r?\n[ \t]|\0/g, ''), 'latin1');
  const encoding = decodeText(unfolded, { declared })?.encoding;
  if (encoding === undefined)
    throw new CountersignError('tool_failed', `${name} is not an ICS calendar: it is not text.`);
  const isUtf8 = encoding.name === 'utf-8';
  return {
    bytes: stored,
    decode: (part) =>
      isUtf8 ? part.toString('utf8') : (decodeText(part, { declared: encoding.name })?.text ?? ''),
    encode: (text) => encodePart(text, encoding),
    toStored: (bytes) => bytes,
  };
}

function openWide({ text, encoding, exact }: DecodedText, name: string): IcsText {
  return {
    bytes: Buffer.from(text),
    decode: (part) => part.toString('utf8'),
    encode: (added) => Buffer.from(added),
    toStored: (bytes) => {
      if (exact) return encodeText(bytes.toString('utf8'), encoding);
      throw new CountersignError(
        'tool_failed',
        `${name} is not valid ${encoding.name}. Save it as UTF-8 first, or add to another calendar.`,
      );
    },
  };
}
