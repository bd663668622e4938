// A call's effect in readable lines; omissions are marked.
import type { CallDescription, CallPart, CallValue, ShownStep } from '#domain/plan/call.ts';
import { exactOf } from '#domain/plan/call-words.ts';
import type { OperationOffer } from '#domain/plan/operation-form.ts';
import { boundsIn } from '#domain/plan/step-words.ts';
import { cutShown, readsLikeJson, showExact, showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { formatAgo } from './times.ts';

export const shield = '🛡';
const caution = '△';
/** Unknown before the call. */
const openMark = '⟲';

export type ShortCall = { text: string; cut: boolean };

function showValue(value: CallValue, max: number, shown = exactOf(value)): ShortCall {
  const { text, later } = value;
  const mark = later ? `${openMark} ` : '';
  if (shown.length <= max) return { text: mark + shown, cut: false };
  return {
    text: `${mark}${cutShown(shown, max)} (${countOf(text.length, 'character')})`,
    cut: true,
  };
}

function join(pieces: ShortCall[], separator: string): ShortCall {
  return {
    text: pieces.map(({ text }) => text).join(separator),
    cut: pieces.some(({ cut }) => cut),
  };
}

function shortHeadline({ headline }: CallDescription, max: number): ShortCall {
  const pieces = headline.map((word) =>
    typeof word === 'string' ? { text: word, cut: false } : showValue(word, max),
  );
  return join(pieces, ' ');
}

function shortPart(part: CallPart, max: number): ShortCall {
  // Text payloads have their own marks.
  const value = part.payload ? showValue(part, max, showExact(part.text)) : showValue(part, max);
  if (!part.payload) return { ...value, text: `${showExact(part.label)}: ${value.text}` };
  return part.later || part.json === true || value.text.startsWith('"')
    ? value
    : { ...value, text: `“${value.text}”` };
}

function formatSize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** step;
  if (step === 0) return countOf(bytes, 'byte');
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[step]}`;
}

/** `(1.2 KB, edited 2 d ago)`, or ''. */
function targetFacts({ target }: CallDescription, now: string): string {
  if (target?.state !== 'exists') return '';
  const age = target.modified_at === null ? '' : formatAgo(target.modified_at, now);
  const facts = [
    ...(target.files === undefined ? [] : [countOf(target.files, 'file')]),
    ...(target.size === null ? [] : [formatSize(target.size)]),
    ...(age === '' ? [] : [`edited ${age}`]),
  ];
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

/** Why the call will fail, or ''. */
export function warnOfTarget({ target }: CallDescription): string {
  if (target?.fails !== true) return '';
  const name = showExact(target.name);
  return target.state === 'missing'
    ? `${caution} ${name} does not exist; this step will fail`
    : `${caution} ${name} already exists; this step fails unless the content is identical`;
}

/** In full, where the effect was shown. @param now adds the current target */
export function headlineOf(call: CallDescription, now?: string): string {
  const { text } = shortHeadline(call, Number.POSITIVE_INFINITY);
  return now === undefined ? text : text + targetFacts(call, now);
}

/** @param max characters per value @param parts arguments besides the headline @param now adds the current target */
export function shortenCall(
  call: CallDescription,
  max: number,
  parts = 4,
  now?: string,
): ShortCall {
  const sent = call.parts.filter(({ aid }) => aid !== true);
  const shown = sent.slice(0, parts).map((part) => shortPart(part, max));
  const hidden = sent.length - shown.length;
  const more = hidden === 0 ? [] : [{ text: `and ${countOf(hidden, 'more value')}`, cut: true }];
  const headline = shortHeadline(call, max);
  if (now !== undefined) headline.text += targetFacts(call, now);
  return join([headline, ...shown, ...more], ' · ');
}

export function describeEffect({
  effect,
  destructive,
  guarded,
  human,
  source,
}: OperationOffer): string {
  const does = human ? 'a person does it' : effect === 'read' ? 'reads' : 'changes something';
  return [
    does,
    ...(destructive ? ['can overwrite or delete'] : []),
    ...(guarded ? ['guarded'] : []),
    ...(source === 'builtin' ? [] : ['connected server']),
  ].join(' · ');
}

/** Reasons to look twice. */
export type Mark = 'irreversible' | 'external';

export const markWords: Record<Mark, string> = {
  irreversible: 'cannot be undone',
  external: 'external',
};

export function marksOf({ destructive, class: reach }: CallDescription): Mark[] {
  return [
    ...(destructive ? (['irreversible'] as const) : []),
    ...(reach === 'outside' ? (['external'] as const) : []),
  ];
}

/** In full: failure, dependencies, conditions, timing. @param nameAsked null if none or unknown */
export function boundsOf(
  step: ShownStep,
  nameStep: (id: string) => string,
  formatAt: (iso: string) => string,
  nameAsked: (id: string) => string | null = () => null,
): string[] {
  const warning = warnOfTarget(step.call);
  const bounds = boundsIn(step, { step: nameStep, asked: nameAsked, time: formatAt });
  return warning === '' ? bounds : [warning, ...bounds];
}

/** Short values after their label, long ones below. */
export type WholePart = {
  label: string;
  text: string;
  inline: boolean;
  /** A reading aid, not sent. */
  aid?: true;
};

const maxInline = 80;

/** All arguments not in the headline. */
export function wholeParts({ parts }: CallDescription): WholePart[] {
  return parts.map((part) => {
    const { label, text, later, payload, aid } = part;
    const short = text.length <= maxInline && !/[\r\n]/.test(text);
    const inline = short && !payload;
    const isText = part.json !== true && !later && !inline && readsLikeJson(text);
    const mark = later ? `${openMark} ` : '';
    return {
      label: isText ? `${showExact(label)} (text)` : showExact(label),
      text: mark + (inline ? exactOf(part) : showText(text)),
      inline,
      ...(aid === true ? { aid } : {}),
    };
  });
}

/** Long values are indented, so none of their lines passes for an argument. */
export function wholeLines(call: CallDescription): string[] {
  return wholeParts(call).flatMap(({ label, text, inline }) =>
    inline
      ? [`│ ${label}: ${text}`]
      : [`│ ${label}:`, ...text.split('\n').map((line) => `│ ${line}`)],
  );
}

/** `3a` with its main sign: guarded, else irreversible. */
export function leadOf(label: string, guarded: boolean, destructive = false): string {
  if (guarded) return `${label} ${shield}`;
  return destructive ? `${label} ${caution}` : label;
}
