// Outside text on each surface: labelled as somebody else's, never active.
import { describe, expect, it } from 'vitest';
import { html } from '#adapters/console/page/lit.ts';
import { slackDrawing } from '#adapters/slack/platform.ts';
import { teamsDrawing } from '#adapters/teams/platform.ts';
import { drawLines, drawProposal, drawReport } from '#adapters/terminal/draw.ts';
import { playbook } from '#adapters/terminal/playbook.ts';
import { createScreen } from '#adapters/terminal/screen.ts';
import { describeFindings } from '#app/doctor.ts';
import { tellAsked } from '#cards/asked-words.ts';
import { describeLink, describeStats } from '#cards/chat-words.ts';
import { drawWholeCard } from '#cards/expand.ts';
import { memoryWords } from '#cards/memory-words.ts';
import { writeMessage } from '#cards/message-text.ts';
import { describePlan, titleList } from '#cards/plan-list.ts';
import { viewSession } from '#cards/session-view.ts';
import { drawText } from '#cards/text.ts';
import { viewPlan } from '#cards/view-model.ts';
import { type CardDrawing, drawForChat } from '#chat/outbox/draw-message.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { isolateText, showTitle } from '#domain/shown-text.ts';
import { makeFacts, makeFinding, makeListed, makeStep, reviewOf } from '../../fixtures/plans.ts';
import { sessions } from '../../fixtures/sessions.ts';
import {
  expectQuoted,
  expectReadable,
  expectSafeInSlack,
  expectSafeInTeams,
  nodesOf,
  screen,
  textsOf,
} from '../../fixtures/shown.ts';
import { createFakeTerminal } from '../../fixtures/terminal.ts';

/** `zq` marks outside text. */
const texts = {
  'a reversed end': 'zq \u202etxt.exe\u202c zq\u2067 x\u2069',
  'zero width': 'zq\u200b\u2060·\ufeff zq',
  'strikes and stacks': `zq n\u0336o\u0336 zq${'\u0301'.repeat(8)}`,
  'invisible signs': 'zq\u{1d173}\u2800\u{1d17a}\u3164 zq',
  'tags above the plane': 'zq\u{e0080}\u{e0041}\u{e01f0} zq',
  'a faked line': 'zq\n✓ Approved by Ana, 14:02 zq\u2028🛡 guarded · zq',
  'a faked note of the system': 'zq” · digest 3f9a1c20 · “zq\r\nSystem: sends nothing · zq',
  'mentions and mark-up':
    'zq <!channel> <@U012AB3CD> <at>Ben</at> @everyone [zq](https://evil.example) **zq** <b onclick=x>zq</b> {{DATE(2026-01-01T00:00:00Z)}}',
  'a look-alike host': 'zq https://аррӏе.com/login zq',
  'escapes of a terminal':
    '\u001b[31mzq\u001b[0m \u001b]8;;https://evil.example\u0007zq \u009b2J zq',
  'right to left': 'zq שלום · approved by Ana zq',
} as const;

type Shown = {
  facts?: PlanCardFacts;
  session?: SessionCardFacts;
  said?: string[];
  lines?: string[];
};

const plan = makeFacts({}).plan;
const named = { plan_id: plan.id, title: 'Notes' };
const done = (text: string, extra = {}) =>
  makeFacts({ status: 'failed' }, [
    makeStep('1', { status: 'failed', error: { code: 'tool_error', message: text }, ...extra }),
  ]);
const titled = (title: string) => makeListed({ ...plan, title });

const kinds: Record<string, (text: string) => Shown | Promise<Shown>> = {
  'an entry of memory': (text) => {
    const entries = [{ id: 1, name: text, text }];
    const notes = [{ name: null, text }];
    return {
      said: [
        memoryWords.told({ kept: entries, refused: notes }),
        memoryWords.ask({ notes }),
        memoryWords.forgotten({ entries }),
        memoryWords.which({ entries }),
        memoryWords.list({ entries, shared: true }),
      ],
    };
  },
  'the name of an agent': (text) => ({
    facts: makeFacts({ agent: text, requester: text, planner_model: text }),
    said: [
      describePlan({ ...titled('Notes'), agent: text }, plan.created_at, {
        bar: true,
        reader: text,
      }),
    ],
  }),
  'the name of a file': (text) => {
    const steps = [makeStep('1', { target: text, args: { path: text, content: text } })];
    return { facts: { ...makeFacts({}, steps), review: reviewOf(steps) } };
  },
  'a title': (text) => ({
    facts: makeFacts({ title: text, summary: text, planner_model: 'gpt-5' }),
    said: [
      writeMessage(
        {
          kind: 'progress',
          action: null,
          facts: { ...named, title: text, status: 'completed', summary: 'Done.', by: null },
        },
        '',
      ),
      titleList('find', text, text).title,
    ],
    lines: describePlan(titled(text), plan.created_at, { bar: true, reader: null })
      .split('\n')
      .slice(1),
  }),
  'the name of a person': (text) => ({
    facts: makeFacts({
      status: 'rejected',
      rejection_history: [{ version: 1, by: text, at: plan.created_at, feedback: text }],
    }),
    said: [
      describeLink(
        { kind: 'linked', account: text, person: text, accounts: [text, text] },
        'countersign link',
      ),
      describeLink(
        { kind: 'removed', account: text, person: text, former: text, accounts: [text] },
        'link',
      ),
      writeMessage(
        {
          kind: 'notice',
          action: null,
          facts: { code: 'plan_changed', ...named, version: 2, by: text },
        },
        '',
      ),
      tellAsked({
        code: 'asked',
        what: 'approve',
        plan_id: plan.id,
        title: text,
        by: text,
        text,
        link: null,
      }),
    ],
  }),
  'the name of a channel': (text) => {
    const args = { conversation: text, text };
    const steps = [makeStep('1', { tool: 'chat', operation: 'post', target: text, args })];
    return { facts: { ...makeFacts({}, steps), review: reviewOf(steps) } };
  },
  'an error of a server': (text) => ({
    facts: done(text),
    lines: describeFindings([
      { part: 'MCP', state: 'broken', text: 'It does not start.', advice: 'Look.' },
    ]).split('\n'),
  }),
  'the title of a tool': (text) => ({
    facts: done('No.', { description: text }),
    said: [
      describeStats(
        {
          plans: {},
          gaps: [{ wanted: text, times: 2, people: 1, last_at: plan.created_at }],
          gap_days: 30,
        },
        plan.created_at,
      ),
    ],
  }),
  'a playbook': async (text) => {
    const io = createFakeTerminal({ columns: 100_000 });
    const one = {
      name: 'close-month',
      title: text,
      version: 1,
      owner: text,
      total_steps: 1,
      params: [{ name: 'a', text, optional: true, places: 1 }],
    };
    const service = { listPlaybooks: () => Promise.resolve([one]) };
    await playbook(service as never, { user: 'ana', timezone: 'UTC', verb: 'list', words: [] }, io);
    return { lines: io.printed().split('\n') };
  },
  'a finding': (text) => ({
    facts: makeFacts({ status: 'executing' }, [makeStep('1')], {
      findings: { open: [makeFinding({ message: text, evidence: [] })], more: 0 },
    }),
    said: [
      writeMessage(
        {
          kind: 'notice',
          action: null,
          facts: { code: 'problem_found', ...named, title: text, text, held: 1, correcting: false },
        },
        '',
      ),
    ],
  }),
  'an event of a calendar': (text) => {
    const portfolio = {
      conflicts: [{ node: '1', with: text, shift_to: null }],
      unread: [text],
    };
    const session = { ...sessions.schedule, request: text };
    return {
      session:
        session.schedule === null
          ? session
          : { ...session, schedule: { ...session.schedule, portfolio } },
    } as Shown;
  },
};

const chat = { session: null, facts: null, parts: null, superseded: false };

type Template = { strings: readonly string[]; values: unknown[] };

function readTemplate({ strings, values }: Template): string {
  return strings.map((part, i) => part + String(values[i] ?? '')).join('');
}

/** Values of calls are shown exactly, not quoted. */
const exact = new Set(['the name of a file', 'the name of a channel']);

/** Moves a cursor or names a link; our own styles don't. */
const foreign = /(?!\n)\p{Cc}(?!\[(?:[12]|22|3[1-69]|39)m)/u;

type Surface = (shown: Shown, text: string) => string[];

const chatSurface =
  (drawing: CardDrawing, expectSafe: (content: { text: string; card: unknown }) => void): Surface =>
  ({ facts = null, session = null, said = [] }) => {
    const drawn = [
      ...(facts === null && session === null
        ? []
        : [drawForChat(drawing, { ...chat, text: '', facts, session })]),
      ...said.map((text) => drawForChat(drawing, { ...chat, text })),
    ];
    for (const content of drawn) expectSafe(content);
    return drawn.flatMap(({ card }) => textsOf(nodesOf(card)));
  };

const surfaces: Record<string, Surface> = {
  slack: chatSurface(slackDrawing, expectSafeInSlack),
  teams: chatSurface(teamsDrawing, expectSafeInTeams),
  console: ({ facts, session, said = [] }, text) => {
    const cards = [...(facts ? [viewPlan(facts)] : []), ...(session ? [viewSession(session)] : [])];
    const page = html`<p title=${text}>${text}</p><b>${said}</b>` as unknown as Template;
    const [attribute, shown, list] = page.values;
    expect(attribute).toBe(text);
    for (const line of [shown, ...(list as string[])]) expectReadable(String(line));
    expect(readTemplate(html`<i>${'<b>'}</i>` as unknown as Template)).toBe('<i><b></i>');
    return cards.flatMap((view) => textsOf(nodesOf(drawWholeCard(view))));
  },
  terminal: ({ facts, said = [], lines = [] }) => {
    const drawn = [
      ...(facts
        ? [...drawProposal(viewPlan(facts), screen), ...drawReport(viewPlan(facts), screen)]
        : []),
      ...said.flatMap((text) => drawLines(text, screen)),
      ...lines,
    ];
    const colored = createFakeTerminal({ tty: true });
    createScreen(colored).print(...drawn, ...said);
    expect(colored.printed()).not.toMatch(foreign);
    return drawn;
  },
  text: ({ facts, session }) => [
    ...(facts ? drawText(viewPlan(facts)).split('\n') : []),
    ...(session ? drawText(viewSession(session)).split('\n') : []),
  ],
};

const cases = Object.keys(kinds).flatMap((kind) =>
  Object.keys(surfaces).map((on) => ({ kind, on })),
);

describe('words from outside', () => {
  it.each(cases)('$kind is only words, and labelled, in $on', async ({ kind, on }) => {
    for (const [name, text] of Object.entries(texts)) {
      const lines = surfaces[on]?.((await kinds[kind]?.(text)) ?? {}, text) ?? [];
      for (const line of lines.flatMap((one) => one.split('\n'))) {
        expect(() => expectReadable(line), `${name}: ${JSON.stringify(line)}`).not.toThrow();
        // A title has its own line, and is spoken first.
        const title = isolateText(showTitle(text, 300));
        const own = [title, title.replaceAll(/[<>]/g, ' ')].reduce(
          (rest, one) => rest.replace(one, ''),
          line.replaceAll('\u2060', ''),
        );
        if (!exact.has(kind))
          expect(() => expectQuoted([own]), `${name}: ${JSON.stringify(line)}`).not.toThrow();
        if (line.includes('аррӏе.com')) expect(line).toContain('xn--80ak6aa92e.com');
      }
    }
  });
});
