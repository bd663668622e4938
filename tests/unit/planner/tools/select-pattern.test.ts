import { describe, expect, it } from 'vitest';
import type { Rfc } from '#domain/planning/state.ts';
import type { ChosenPattern } from '#planner/patterns/read-pattern.ts';
import type { ToolContext } from '#planner/tool.ts';
import { selectPattern } from '#planner/tools/select-pattern.ts';
import { follow, makeDesk } from './tool-context.ts';

const plain: ChosenPattern = {
  pattern_type: 'recurring_cycle',
  subtype: null,
  variant: null,
  source_pattern: null,
  rfc: null,
  confidence: 0.9,
};
const proposal = {
  ...plain,
  subtype: 'proposed:daily_health_protocol_v2',
  rfc: 'A protocol with doses that change by measured values; a routine has none.',
};
const topProposal = {
  ...plain,
  pattern_type: 'proposed:tidal_work',
  source_pattern: 'recurring_cycle',
  rfc: 'It follows the tide.',
};

function deskWith(
  settings: Partial<ToolContext['settings']> = {},
  rfc: Rfc | null = null,
): ToolContext {
  const toolContext = makeDesk({ state: { rfc }, request: 'Follow my protocol every day' });
  return { ...toolContext, settings: { ...toolContext.settings, ...settings } };
}

const run = (input: Partial<ChosenPattern>, toolContext = deskWith()) =>
  selectPattern.execute({ ...plain, ...input }, toolContext);
const rfcOf = (status: Rfc['status'], proposes = proposal.subtype): Rfc => ({
  text: 'Because.',
  proposes,
  status,
  by: 'ana',
});

describe('a known pattern', () => {
  it('is taken under its own name, and ends the collecting', async () => {
    const { result, changes, ends, self } = await run({ subtype: 'protocol_routine' });
    expect(result).toMatchObject({ ok: true, confidence: 0.9 });
    expect(changes?.pattern).toEqual({
      pattern_type: 'recurring_cycle',
      subtype: 'protocol_routine',
      confidence: 0.9,
      introduced_by: 'system',
    });
    expect([ends, self]).toEqual(['sufficient_context', 0.9]);
  });

  it('is found for a name that is nearly right, and ends nothing while the outline is drafted', async () => {
    const toolContext = makeDesk({ state: { stage: 'DRAFT_OUTLINE' } });
    const { changes, ends } = await run(
      { pattern_type: 'Recurring Cycles', variant: 'Fixed Days' },
      toolContext,
    );
    expect(changes?.pattern).toMatchObject({
      pattern_type: 'recurring_cycle',
      variant: 'fixed_days',
    });
    expect(ends).toBe(undefined);
  });

  it('is found from the name of one of its subtypes', async () => {
    const { changes } = await run({ pattern_type: 'weekly_review' });
    expect(changes?.pattern).toMatchObject({
      pattern_type: 'recurring_cycle',
      subtype: 'weekly_review',
    });
  });

  it.each([
    [-1, 0],
    [0, 0],
    [1, 1],
    [7, 1],
    [Number.NaN, undefined],
  ])('takes a confidence of %d as %d', async (given, confidence) => {
    const { changes } = await run({ confidence: given });
    expect(changes?.pattern?.confidence).toBe(confidence);
  });

  it('loses a subtype that nobody knows and nobody said', async () => {
    const { result, changes } = await run({ subtype: 'moon_ritual' });
    expect(changes?.pattern).not.toHaveProperty('subtype');
    expect(result.explanations.join(' ')).toContain('no subtype moon_ritual');
  });

  it('keeps a word of the person’s own as its subtype', async () => {
    const toolContext = makeDesk({ request: 'Do the moon ritual every day' });
    const { changes } = await run({ subtype: 'moon_ritual' }, toolContext);
    expect(changes?.pattern?.subtype).toBe('moon_ritual');
  });

  it('is less sure where its subtype had to be left out', async () => {
    const exact = await run({ subtype: 'weekly_review' });
    const corrected = await run({ subtype: 'moon_ritual' });
    expect([exact.heuristics, corrected.heuristics]).toEqual([1, 0.5]);
  });
});

describe('a subtype that a person approved', () => {
  it.each([
    ['earlier', 'proposed:daily_health_protocol_v2', 'memory'],
    ['earlier', 'daily_health_protocol_v2', 'memory'],
    ['in this session', 'proposed:daily_health_protocol_v2', 'rfc'],
  ])('%s is known under its name, written %s', async (_, subtype, kept) => {
    const known = [{ id: 1, name: proposal.subtype, text: proposal.rfc }];
    const state = kept === 'memory' ? { memory: { known, keep: [] } } : { rfc: rfcOf('approved') };
    const { changes } = await run({ subtype }, makeDesk({ state }));
    expect(changes?.pattern).toEqual({
      pattern_type: 'recurring_cycle',
      subtype: 'daily_health_protocol_v2',
      confidence: 0.9,
      introduced_by: 'system',
    });
    expect(changes?.pause).toBeUndefined();
  });
});

describe('a name that nobody knows', () => {
  it('is refused with the list of names', async () => {
    const { result, changes } = await run({ pattern_type: 'kaizen_blitz' });
    expect(result).toMatchObject({ ok: false, confidence: 0 });
    expect(result.explanations[0]).toContain('milestone_project, recurring_cycle');
    expect(changes).toBe(undefined);
  });

  it.each([
    ['no reason', { ...proposal, rfc: null }, 'needs an rfc'],
    ['a reason of nothing but markup', { ...proposal, rfc: '<> **' }, 'needs an rfc'],
    ['no readable name', { ...proposal, subtype: 'proposed:Not A Name' }, 'snake_case'],
    ['no source', { ...topProposal, source_pattern: null }, 'source_pattern'],
    ['a source that nobody knows', { ...topProposal, source_pattern: 'kaizen' }, 'source_pattern'],
    ['no reason for a pattern', { ...topProposal, rfc: '' }, 'needs an rfc'],
  ])('is refused as a proposal with %s', async (_, input, reason) => {
    const { result, ends } = await run(input);
    expect(result.ok).toBe(false);
    expect(result.explanations[0]).toContain(reason);
    expect(ends).toBe(undefined);
  });
});

describe('a proposed subtype', () => {
  it('waits for a person, with one call to action', async () => {
    const { result, changes, ends } = await run(proposal);
    expect(result.ok).toBe(true);
    expect(ends).toBe('needs_clarification');
    expect(changes?.pattern).toMatchObject({
      subtype: 'proposed:daily_health_protocol_v2',
      source_pattern: 'recurring_cycle',
      rfc: proposal.rfc,
      introduced_by: 'ai_adaptation',
    });
    expect(changes?.rfc).toEqual({
      text: proposal.rfc,
      proposes: 'proposed:daily_health_protocol_v2',
      status: 'open',
      by: null,
    });
    expect(changes?.pause).toMatchObject({ kind: 'rfc', resume: 'DRAFT_OUTLINE', gate: null });
    expect(changes?.pause?.digest).toMatch(/^[0-9a-f]{64}$/);
    const text = changes?.result?.kind === 'rfc' ? changes.result.text : '';
    expect(text).toContain('“daily health protocol v2”');
    expect(() => follow(deskWith(), changes)).not.toThrow();
  });

  it('passes once a person approved it', async () => {
    const { changes, ends } = await run(proposal, deskWith({}, rfcOf('approved')));
    expect(changes?.pattern?.subtype).toBe('daily_health_protocol_v2');
    expect(changes).not.toHaveProperty('pause');
    expect(ends).toBe('sufficient_context');
  });

  it('waits again when what was approved is another', async () => {
    const { ends } = await run(proposal, deskWith({}, rfcOf('approved', 'proposed:other')));
    expect(ends).toBe('needs_clarification');
  });

  it('is refused once a person rejected it', async () => {
    const { result } = await run(proposal, deskWith({}, rfcOf('rejected')));
    expect(result.ok).toBe(false);
    expect(result.explanations[0]).toContain('rejected');
  });

  it('needs nobody where no RFC is required', async () => {
    const { changes, ends } = await run(proposal, deskWith({ requireRfcForNewSubtype: false }));
    expect(changes?.pattern?.subtype).toBe(proposal.subtype);
    expect(ends).toBe('sufficient_context');
  });

  it('becomes the nearest known one where proposals are turned off', async () => {
    const toolContext = deskWith({ allowNewSubtypes: false });
    const near = await run({ ...proposal, subtype: 'proposed:weekly_reviews' }, toolContext);
    expect(near.changes?.pattern).toMatchObject({ subtype: 'weekly_review' });
    const far = await run(proposal, toolContext);
    expect(far.changes?.pattern).not.toHaveProperty('subtype');
    expect(far.result.explanations.join(' ')).toContain('turned off; planned without a subtype');
    expect(far.ends).toBe('sufficient_context');
  });

  it('that is known already is no proposal', async () => {
    const { changes } = await run({ ...proposal, subtype: 'proposed:weekly_review' });
    expect(changes?.pattern?.subtype).toBe('weekly_review');
    expect(changes).not.toHaveProperty('rfc');
  });

  it('is shown as plain text of bounded length, whatever the model wrote', async () => {
    const rfc = `Fits.”\n<script>x</script> **[approve](http://x)** \u202eevil\u0000 ${'y'.repeat(5000)}`;
    const { changes } = await run({ ...proposal, rfc });
    const text = changes?.rfc?.text ?? '';
    expect(text).toHaveLength(2000);
    const strange = ['<', '>', '*', '[', ']', '`', '”', '\n', '\u202e', '\u0000'];
    expect(strange.filter((sign) => text.includes(sign))).toEqual([]);
  });
});

describe('a proposed pattern', () => {
  it.each([{ requireRfcForNewSubtype: false }, { requireRfcForNewSubtype: true }])(
    'always waits for a person (%o)',
    async (settings) => {
      const { changes, ends } = await run(topProposal, deskWith(settings));
      expect(ends).toBe('needs_clarification');
      expect(changes?.pattern).toMatchObject({
        pattern_type: 'proposed:tidal_work',
        source_pattern: 'recurring_cycle',
      });
    },
  );

  it('becomes its source where proposals are turned off', async () => {
    const { changes } = await run(topProposal, deskWith({ allowNewSubtypes: false }));
    expect(changes?.pattern?.pattern_type).toBe('recurring_cycle');
  });
});
