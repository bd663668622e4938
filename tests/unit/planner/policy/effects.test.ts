import { describe, expect, it } from 'vitest';
import { defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import {
  detailOf,
  explainsReasons,
  isBorderline,
  lengthOf,
  offersIdeas,
  optionsWanted,
} from '#planner/policy/effects.ts';

const policy = (changes: Partial<InteractionPolicy>): InteractionPolicy => ({
  ...defaultPolicy,
  ...changes,
});

describe('conversation_style and talkativeness', () => {
  it.each([
    ['concise', 0.5, 2],
    ['concise', 1, 2],
    ['standard', 0.29, 2],
    ['standard', 0.3, 3],
    ['conversational', 0, 2],
    ['conversational', 0.5, 3],
    ['coach', 0.5, 3],
  ] as const)('%s at %d shows %i options', (conversation_style, talkativeness, options) => {
    expect(optionsWanted(policy({ conversation_style, talkativeness }))).toBe(options);
  });

  it.each([
    ['concise', 0.69, 'short'],
    ['concise', 0.7, 'normal'],
    ['standard', 0.29, 'short'],
    ['standard', 0.3, 'normal'],
    ['standard', 0.69, 'normal'],
    ['standard', 0.7, 'full'],
    ['conversational', 0.29, 'normal'],
    ['conversational', 0.3, 'full'],
    ['coach', 0, 'full'],
  ] as const)('%s at %d says %s', (conversation_style, talkativeness, detail) => {
    expect(detailOf(policy({ conversation_style, talkativeness }))).toBe(detail);
  });

  it('allows more text the more is wanted', () => {
    const by = (conversation_style: InteractionPolicy['conversation_style']) =>
      policy({ conversation_style });
    const lengths = [by('concise'), by('standard'), by('coach')];
    for (const part of ['sentences', 'items'] as const) {
      const sizes = lengths.map((one) => lengthOf(one)[part]);
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      expect(new Set(sizes).size).toBe(3);
    }
  });

  it('explains reasons for a coach and for those who like to read', () => {
    expect(explainsReasons(policy({ conversation_style: 'coach', talkativeness: 0 }))).toBe(true);
    expect(explainsReasons(policy({ talkativeness: 0.7 }))).toBe(true);
    expect(explainsReasons(policy({}))).toBe(false);
  });
});

describe('brainstorming_preference', () => {
  it.each([
    [0.39, false],
    [0.399_999, false],
    [0.1 + 0.3, true],
    [0.4, true],
    [0.69, true],
    [0.699_999, true],
    [0.7, false],
    [0.1 + 0.6, false],
    [0.71, false],
  ])('%d is borderline: %s', (confidence, borderline) => {
    expect(isBorderline(confidence)).toBe(borderline);
    const unsure = policy({ brainstorming_preference: 'suggest_when_uncertain' });
    expect(offersIdeas(unsure, confidence, false)).toBe(borderline);
    const always = policy({ brainstorming_preference: 'always_offer' });
    expect(offersIdeas(always, confidence, false)).toBe(true);
    const demanded = policy({ brainstorming_preference: 'on_demand' });
    expect(offersIdeas(demanded, confidence, false)).toBe(false);
  });
  it('offers nothing by itself where nobody knows how sure it is', () => {
    const unsure = policy({ brainstorming_preference: 'suggest_when_uncertain' });
    expect(offersIdeas(unsure, null, false)).toBe(false);
  });
  it('offers what was asked for, whatever the preference', () => {
    expect(offersIdeas(policy({}), 0.9, true)).toBe(true);
  });
});
