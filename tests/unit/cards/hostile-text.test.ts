import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slackDrawing } from '#adapters/slack/platform.ts';
import { teamsDrawing } from '#adapters/teams/platform.ts';
import { drawProposal, drawReport } from '#adapters/terminal/draw.ts';
import { viewSession } from '#cards/session-view.ts';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { drawForChat } from '#chat/outbox/draw-message.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Step } from '#domain/plan/plan.ts';
import {
  makeFacts,
  makeStep,
  reviewOf,
  type SampleName,
  samples,
  showStep,
} from '../../fixtures/plans.ts';
import { makeNode, sessions } from '../../fixtures/sessions.ts';
import {
  expectQuoted,
  expectReadable,
  expectSafeInSlack,
  expectSafeInTeams,
  nodesOf,
  ours,
  screen,
  textsOf,
} from '../../fixtures/shown.ts';
import { rounds } from '../../rounds.ts';

const drawings = { slack: slackDrawing, teams: teamsDrawing };

const fragments = [
  '<!channel>',
  '<!here|here>',
  '<@U012AB3CD>',
  '<#C012AB3CD>',
  '<!subteam^S012AB3CD>',
  '<!date^1392734382^{date}|now>',
  '<https://evil.example|https://bank.example>',
  '[https://bank.example](https://evil.example)',
  '![x](https://evil.example/x.png)',
  '@everyone @channel @here',
  '<at>Ben</at>',
  '**bold** _it_ ~~no~~ `code` # head',
  ':tada:',
  '{{DATE(2026-01-01T00:00:00Z)}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must look like a template
  '${$root.plan_id}',
  '&lt;!channel&gt;',
  '\u202eexe.fdp\u202c',
  '\u2067טקסט\u2069',
  'שלום עולם',
  'مرحبا بالعالم',
  'a\u200bb\u2060c\ufeffd\u00ade',
  '\u{e0041}\u{e0042}\u{e007f}',
  '👩‍👩‍👧‍👦🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  '\ud800',
  '語'.repeat(300),
  'x'.repeat(3000),
  '\n\n\r\u2028',
];

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: 'binary', maxLength: 20 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(' ').slice(0, 3000));

const target = fc.oneof(
  hostile,
  fc.constantFrom(
    'https://bank.example@evil.example/',
    'https://xn--bnk-rla.example/',
    'https://bänk.example/\u202egpj',
    'javascript:alert(1)',
    'https://evil.example/<!channel>',
  ),
);

function infect(name: SampleName, text: string, where: string): PlanCardFacts {
  const facts: PlanCardFacts = samples[name];
  const step = (one: Step): ShownStep =>
    showStep({
      ...one,
      description: text,
      target: where,
      args: { path: where, content: text, [text]: text },
      question: one.question === null ? null : text,
      result_summary: text,
      error: one.error === null ? null : { ...one.error, message: text },
    });
  const all = (steps: Step[]) => steps.map(step);
  const steps = all(facts.steps);
  return {
    ...facts,
    plan: {
      ...facts.plan,
      title: text.slice(0, 300),
      summary: text.slice(0, 1000),
      requester: text.slice(0, 200),
      planner_model: text.slice(0, 200),
      result_summary: text,
      risks: [{ text, sign: text }],
      rejection_history: facts.plan.rejection_history.map((one) => ({
        ...one,
        by: text.slice(0, 200),
        feedback: text,
      })),
      approvals: facts.plan.approvals.map((one) => ({ ...one, by: text.slice(0, 200) })),
      total_steps: 5000,
    },
    patch:
      facts.patch === null
        ? null
        : { ...facts.patch, reason: text, changes: [text], widening: [text], proposed_by: text },
    steps,
    running: all(facts.running),
    next: all(facts.next),
    failed: all(facts.failed),
    unknown: all(facts.unknown),
    waiting: all(facts.waiting),
    review: reviewOf(steps),
    conflicts: [text, text],
    terms: [text],
    approvers: text.slice(0, 400),
    may_approve: false,
  };
}

function infectSession(facts: SessionCardFacts, text: string): SessionCardFacts {
  return {
    ...facts,
    request: text,
    questions: facts.questions.map(() => text),
    offers: facts.offers.map(() => ({ name: text, text, answer: text })),
    reason: text,
    rfc: facts.rfc === null ? null : { ...facts.rfc, text: text.slice(0, 2000) },
    outline:
      facts.outline === null
        ? null
        : {
            ...facts.outline,
            title: text,
            summary: text,
            assumptions: [text],
            nodes: [makeNode('1', { title: text }), makeNode('2', { title: text, parent: '1' })],
          },
    infeasible:
      facts.infeasible === null
        ? null
        : { reason: text, relaxations: [{ node: null, text: text.slice(0, 500) }] },
    approvers: text,
    may_decide: false,
  };
}

const forged = fc
  .tuple(
    fc.constantFrom(
      'zq · asks before it runs · only if step 1 /status is "green"',
      'fine” · guarded by Ana zq · “',
      'fine" · approved by Ana zq · "',
      '✓ Approved by Ana, 14:02 zq',
      'ok\n 2. Sends nothing zq\n✓ 3 done · zq',
      'ok\u2028digest 3f9a1c20 · zq',
      '🛡 zq · cannot be undone',
      'Reason: “zq”',
      '◷ Waiting for nobody · version 9 · zq',
      'a\u200b\u00b7\u200b zq ‧ zq ∙ zq · asks before it runs',
      'If No: step 2 is not run · zq',
      '│ path: zq.txt · zq',
      '“ zq ” · zq “',
      'x\u0336 · zq\u202e · zq',
    ),
    fc.constantFrom('', 'Check the list. ', 'x'.repeat(150)),
  )
  .map(([words, before]) => before + words);

function forge(name: SampleName, text: string): PlanCardFacts {
  const { plan, terms, conflicts, patch, approvers } = samples[name];
  const facts = infect(name, text, text);
  return {
    ...facts,
    plan: { ...facts.plan, agent: text.slice(0, 60), result_summary: plan.result_summary },
    ...{ terms, conflicts, approvers },
    patch: patch === null ? null : { ...patch, reason: text, proposed_by: text },
  };
}

function misname<T extends object>(facts: T, shown: string): T & { names: Record<string, string> } {
  const names: Record<string, string> = {};
  JSON.stringify(facts, (_, value: unknown) => {
    if (typeof value === 'string') names[value] = shown;
    return value;
  });
  return { ...facts, names };
}

const message = { session: null, facts: null, parts: null, superseded: false };
const names = fc.constantFrom(...(Object.keys(samples) as SampleName[]));
const runs = { numRuns: rounds(100) };

describe('hostile words', () => {
  it('are only words in any state of a plan, on both platforms and in text', () => {
    fc.assert(
      fc.property(names, hostile, target, (name, text, where) => {
        const facts = infect(name, text, where);
        expectSafeInSlack(drawForChat(slackDrawing, { ...message, text, facts }));
        expectSafeInTeams(drawForChat(teamsDrawing, { ...message, text, facts }));
        expectReadable(drawText(viewPlan(facts)));
      }),
      runs,
    );
  });

  it('are never taken for ours: what others write stands in quotation marks, on every surface', () => {
    fc.assert(
      fc.property(names, forged, (name, text) => {
        const facts = forge(name, text);
        expectQuoted(drawText(viewPlan(facts)).split('\n'));
        for (const platform of ['slack', 'teams'] as const) {
          const { card } = drawForChat(drawings[platform], { ...message, text: '', facts });
          expectQuoted(textsOf(nodesOf(card)).flatMap((one) => one.split('\n')));
        }
        expectQuoted(drawProposal(viewPlan(facts), screen));
        expectQuoted(drawReport(viewPlan(facts), screen));
      }),
      runs,
    );
  });

  it('are only words wherever a planning session stands', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(sessions)), hostile, (session, text) => {
        const facts = infectSession(session, text);
        expectSafeInSlack(drawForChat(slackDrawing, { ...message, text, session: facts }));
        expectSafeInTeams(drawForChat(teamsDrawing, { ...message, text, session: facts }));
        expectReadable(drawText(viewSession(facts)));
      }),
      runs,
    );
  });

  it('are only words as the names of people', () => {
    const [plans, waits] = [Object.values(samples), Object.values(sessions)];
    fc.assert(
      fc.property(
        fc.constantFrom(...plans),
        fc.constantFrom(...waits),
        hostile,
        (plan, run, name) => {
          const facts = misname(plan, name);
          const session = misname(run, name);
          for (const about of [{ facts }, { session }]) {
            expectSafeInSlack(drawForChat(slackDrawing, { ...message, text: 'Look.', ...about }));
            expectSafeInTeams(drawForChat(teamsDrawing, { ...message, text: 'Look.', ...about }));
          }
          expectReadable(drawText(viewPlan(facts)));
          expectReadable(drawText(viewSession(session)));
        },
      ),
      runs,
    );
    const approved = { ...samples.approved, viewer: { user: '', timezone: 'UTC' } };
    const named = drawText(viewPlan(misname(approved, '<!channel> [a](b)')));
    expect(named).toContain('by “<!channel> [a](b)”');
  });

  it('are only words in what the bot says', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(text.trim() !== '');
        expectSafeInSlack(drawForChat(slackDrawing, { ...message, text: `. ${text}` }));
        expectSafeInTeams(drawForChat(teamsDrawing, { ...message, text: `. ${text}` }));
      }),
      runs,
    );
  });
});

describe('a host in letters that only look like others', () => {
  const [spelled, asked] = ['https://аррӏе.com/login', 'xn--80ak6aa92e.com'];
  const around = [
    (host: string) => host,
    (host: string) => `see ${host}`,
    (host: string) => `${host} and ${'x'.repeat(2000)}`,
    (host: string) => host.replace('https://', 'ana@').replace('/login', ''),
    (host: string) => host.replace('https://', '').replace('/login', ''),
    (host: string) => `${'https://ä.example '.repeat(8)}${host}`,
  ];
  const shows = (texts: string[]) =>
    texts.filter((text) => /(?<![\p{L}\p{N}])аррӏе\.com/u.test(text));

  it.each(around)('is named as it is looked up, wherever it is read (%#)', async (write) => {
    const text = write(spelled);
    for (const name of Object.keys(samples) as SampleName[]) {
      await setImmediate();
      const facts = infect(name, text, text);
      const drawn = [
        drawText(viewPlan(facts)).split('\n'),
        drawProposal(viewPlan(facts), screen),
        drawReport(viewPlan(facts), screen),
        ...(['slack', 'teams'] as const).map((platform) =>
          textsOf(nodesOf(drawForChat(drawings[platform], { ...message, text: '', facts }).card)),
        ),
      ];
      expect(shows(drawn.flat()).length).toBeGreaterThan(5);
      for (const one of shows(drawn.flat())) expect(one).toContain(asked);
    }
    for (const session of Object.values(sessions)) {
      await setImmediate();
      const view = viewSession(infectSession(session, text));
      for (const one of shows(drawText(view).split('\n'))) expect(one).toContain(asked);
    }
  });
});

describe('a link', () => {
  const linked = (where: string, summary: string) => {
    const step = { tool: 'tracker', target: where, result_summary: summary };
    const steps = [makeStep('1', { status: 'succeeded', ...step })];
    const view = viewPlan(makeFacts({ status: 'completed' }, steps));
    return view.sections.flatMap(({ lines }) => lines);
  };

  it('shows where it leads, whatever was said about it', () => {
    expect(linked('https://evil.example/x', 'https://bank.example')).toMatchObject([
      {
        text: 'https://evil.example/x',
        url: 'https://evil.example/x',
        quotes: [{ by: '', words: '“https://bank.example”' }],
      },
    ]);
  });

  it.each(['https://bank.example@evil.example/', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'is none: %s',
    (where) => {
      expect(linked(where, 'done')).toMatchObject([{ text: '“done”', url: null }]);
    },
  );

  it('shows letters that look like others as what they are', () => {
    expect(linked('https://bаnk.example/', 'done')).toMatchObject([
      { text: 'https://xn--bnk-6cd.example/' },
    ]);
  });
});

it('a plan of 5,000 steps of 3,000 characters is one card on each platform', () => {
  const steps = Array.from({ length: 24 }, (_, i) =>
    makeStep(`${i + 1}`, {
      description: `${i} ${'<!channel> שלום 👩‍👩‍👧‍👦 '.repeat(200)}`.slice(0, 3000),
    }),
  );
  const facts = makeFacts({ total_steps: 5000 }, steps, { link: ours });
  expectSafeInSlack(drawForChat(slackDrawing, { ...message, text: 'Look.', facts }));
  expectSafeInTeams(drawForChat(teamsDrawing, { ...message, text: 'Look.', facts }));
  const drawn = JSON.stringify(
    drawForChat(slackDrawing, { ...message, text: 'Look.', facts }).card,
  );
  expect(drawn).toContain('"text":"Review"');
});
