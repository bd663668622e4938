import { describe, expect, it } from 'vitest';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { ToolContext } from '#planner/tool.ts';
import { createElicitContext, type Question } from '#planner/tools/elicit-context.ts';
import { traceStep } from '#planner/trace-step.ts';
import { follow, makeDesk, makeOutline } from './tool-context.ts';

const make = (question: string, more: Partial<Question> = {}): Question => ({
  id: null,
  question,
  why: 'It decides where the file goes',
  default: 'notes/',
  essential: true,
  options: null,
  recommended: null,
  ...more,
});

const four = ['Where?', 'When does it start?', 'Who comes?', 'How much may it cost?'].map((text) =>
  make(text),
);

const ask = (questions: Question[], toolContext: ToolContext) =>
  createElicitContext(true).execute({ questions }, toolContext);

function textOf(changes: Awaited<ReturnType<typeof ask>>['changes']): string {
  return changes?.result?.kind === 'question' ? changes.result.text : '';
}

describe('elicit_context', () => {
  it.each([0, 2])('asks at most %i of four questions at that depth', async (depth) => {
    const toolContext = makeDesk({ policy: { probing_depth: depth } });
    const outcome = await ask(four, toolContext);
    const asked =
      outcome.changes?.result?.kind === 'question' ? outcome.changes.result.questions : [];
    expect(asked.map(({ text }) => text)).toEqual(
      four.slice(0, depth).map(({ question }) => question),
    );
    expect(outcome.result.data).toMatchObject({ assumed: { length: 4 - depth } });
    expect(outcome.ends).toBe(depth === 0 ? undefined : 'needs_clarification');
    expect(outcome.changes?.questions_asked).toBe(depth === 0 ? undefined : depth);
  });

  it('counts what was asked earlier in the session', async () => {
    const toolContext = makeDesk({ policy: { probing_depth: 3 }, state: { questions_asked: 2 } });
    const outcome = await ask(four, toolContext);
    expect(outcome.changes?.questions_asked).toBe(3);
    const none = await ask(four, makeDesk({ state: { questions_asked: 2 } }));
    expect(none.ends).toBeUndefined();
  });

  it('notes assumptions instead of asking where nothing may be asked, and goes on', async () => {
    const toolContext = makeDesk({ policy: { probing_depth: 0 } });
    const outcome = await ask(
      [make('Where?'), make('What is it called?', { default: null })],
      toolContext,
    );
    expect(outcome.result.ok).toBe(true);
    expect(outcome.changes?.pause).toBeUndefined();
    expect(outcome.changes?.assumed).toEqual(['Where? I assume: notes/']);
    expect(outcome.result.data).toMatchObject({ open: ['What is it called?'] });
    const again = await ask([make('Where?')], follow(toolContext, outcome.changes));
    expect(again.changes?.assumed).toEqual(outcome.changes?.assumed);
  });

  it('writes assumptions into an outline that is there', async () => {
    const toolContext = makeDesk({
      policy: { probing_depth: 0 },
      state: { stage: 'VALIDATE_OUTLINE', outline: makeOutline() },
    });
    const outcome = await ask([make('Where?')], toolContext);
    expect(outcome.changes?.outline?.assumptions).toEqual(['Where? I assume: notes/']);
  });

  it('asks what cannot be assumed before what matters, and that before the rest', async () => {
    const questions = [
      make('In which colour?', { essential: false }),
      make('Where?'),
      make('What is it called?', { default: null, essential: false }),
    ];
    const policy = { autonomy: 'low', probing_depth: 2 } as const;
    const outcome = await ask(questions, makeDesk({ policy }));
    expect(outcome.result.data).toMatchObject({ asked: ['Where?', 'What is it called?'] });
  });

  it('asks nothing twice, in one call or in a later turn', async () => {
    const toolContext = makeDesk({ policy: { probing_depth: 3 } });
    const twice = [make('What should a.txt contain?'), make('What should a.txt contain, please?')];
    const first = await ask(twice, toolContext);
    expect(first.result.data).toMatchObject({ asked: ['What should a.txt contain?'], dropped: 1 });
    const later = { ...follow(toolContext, first.changes) };
    const next = await ask(
      [make('What should a.txt contain?'), make('What should b.txt contain?')],
      { ...later, state: { ...later.state, result: null } },
    );
    expect(next.result.data).toMatchObject({ asked: ['What should b.txt contain?'] });
  });

  it('goes on where the person is to be asked only what they were asked', async () => {
    const toolContext = makeDesk({ policy: { probing_depth: 3 } });
    const first = await ask([make('Where?')], toolContext);
    const again = await ask([make('Where?')], follow(toolContext, first.changes));
    expect(again.ends).toBeUndefined();
    expect(again.result.explanations[0]).toContain('asked before');
  });

  it.each([
    ['COLLECT_CONTEXT', 'COLLECT_CONTEXT'],
    ['DRAFT_OUTLINE', 'DRAFT_OUTLINE'],
    ['VALIDATE_OUTLINE', 'DRAFT_OUTLINE'],
    ['VALIDATE_ROADMAP', 'DRAFT_ROADMAP'],
    ['VALIDATE_SCHEDULE', 'DRAFT_SCHEDULE'],
  ] as const)('asked in %s, the session goes on in %s', async (stage, resume) => {
    const outcome = await ask([make('Where?')], makeDesk({ state: { stage } }));
    expect(outcome.changes?.pause).toEqual({ kind: 'questions', resume, gate: null, digest: null });
  });

  it('says as much around a question as the person likes to read', async () => {
    const text = async (policy: Partial<InteractionPolicy>) =>
      textOf((await ask([make('Where?')], makeDesk({ policy }))).changes);
    expect(await text({ conversation_style: 'concise' })).toBe('Where?');
    expect(await text({})).toBe('Where?\n   It decides where the file goes.');
    expect(await text({ conversation_style: 'coach', tone: 'friendly' })).toBe(
      "One thing I would like to know first:\nWhere?\n   It decides where the file goes.\n   If you don't answer, I'll assume: notes/.",
    );
    expect(await text({ tone: 'clinical' })).toMatch(/^Input required:\nWhere\?/);
  });
});

describe('options of a question', () => {
  const where = (options: string[] | null, recommended: string | null = null) =>
    make('Where does it go?', { options, recommended });

  it('are numbered below it, with the recommended one marked, and kept with the question', async () => {
    const { changes } = await ask([where(['notes/', 'archive/'], 'archive/')], makeDesk());
    expect(textOf(changes)).toContain('   1) notes/\n   2) archive/ (recommended)');
    expect(changes?.result).toMatchObject({
      questions: [{ options: [{ text: 'notes/' }, { text: 'archive/', recommended: true }] }],
    });
    expect(changes?.offered).toMatchObject([{ options: ['notes/', 'archive/'] }]);
  });

  it('are none where there is only one', async () => {
    const { changes } = await ask([where(['notes/', 'notes/'])], makeDesk());
    expect(textOf(changes)).not.toContain('1)');
    expect(changes?.result).not.toHaveProperty('questions.0.options');
  });
});

describe('a question that could be looked up', () => {
  const calendar = [make('Which calendar do you mean?')];

  it('is sent back once, to the operation that reads such things', async () => {
    const toolContext = makeDesk();
    const first = await ask(calendar, toolContext);
    expect(first.result).toMatchObject({
      ok: false,
      explanations: [expect.stringMatching(/^Look first: calendar_read /)],
    });
    const refused = traceStep({
      stage: 'COLLECT_CONTEXT',
      tool: 'elicit_context',
      startedAt: toolContext.now,
      endedAt: toolContext.now,
      ok: false,
      explanation: '',
    });
    const again = await ask(calendar, makeDesk({ state: { trace: [refused] } }));
    expect(again.ends).toBe('needs_clarification');
  });

  it('is asked where something was read, or nothing reads it', async () => {
    const read = { operation: 'calendar_read', args: {}, data: [] };
    expect((await ask(calendar, makeDesk({ state: { reads: [read] } }))).ends).toBeDefined();
    expect((await ask([make('Which colour?')], makeDesk())).ends).toBeDefined();
  });
});
