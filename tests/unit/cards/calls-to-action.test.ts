import { describe, expect, it } from 'vitest';
import { introduceQuestions, writeCall } from '#cards/calls-to-action.ts';
import { callOf } from '#domain/chat/message-parts.ts';
import { InteractionPolicy } from '#domain/people/policy.ts';

const tones = InteractionPolicy.shape.tone.options;
type Tone = (typeof tones)[number];
const decided: [string, (tone: Tone) => string][] = [
  ...(['outline', 'roadmap', 'schedule'] as const).map((gate): [string, (tone: Tone) => string] => [
    gate,
    (tone) => writeCall(callOf({ kind: 'gate', gate }, tone)),
  ]),
  ...(['plan', 'rfc'] as const).map((kind): [string, (tone: Tone) => string] => [
    kind,
    (tone) => writeCall({ kind, tone }),
  ]),
];
const others: typeof decided = [
  ['budget', (tone) => writeCall({ kind: 'budget', tone })],
  ['escalation', (tone) => writeCall({ kind: 'escalation', tone })],
  ['one question', (tone) => introduceQuestions(1, tone)],
  ['three questions', (tone) => introduceQuestions(3, tone)],
];

describe('calls to action', () => {
  it.each([...decided, ...others])('of %s differ by tone, and shout in none', (_, write) => {
    const texts = tones.map(write);
    expect(new Set(texts).size).toBe(tones.length);
    for (const text of texts) expect(text).not.toMatch(/!|sorry|apolog/i);
  });

  it.each(decided)('of %s name the words that decide exactly, whatever the tone', (_, write) => {
    for (const text of tones.map(write)) {
      for (const word of ['“approve”', '“propose changes: …”', '“reject”'])
        expect(text.split(word)).toHaveLength(2);
    }
  });
});
