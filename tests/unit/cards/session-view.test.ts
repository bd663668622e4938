import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawAdaptiveCard, drawBlocks } from '#cards/expand.ts';
import { measureBlocks, measureCard, platformLimits } from '#cards/limits.ts';
import { drawQuote } from '#cards/plain.ts';
import { readSessionPress } from '#cards/press.ts';
import { viewSession } from '#cards/session-view.ts';
import { drawText } from '#cards/text.ts';
import { SessionPress } from '#domain/chat/session-card.ts';
import { offlinePlanner } from '#domain/plan/step-words.ts';
import { checkAdaptiveCard } from '../../fixtures/adaptive-card.ts';
import { checkSlackMessage } from '../../fixtures/block-kit.ts';
import {
  makeLargeOutline,
  makeNode,
  makeSession,
  outline,
  sessions,
} from '../../fixtures/sessions.ts';

const all = Object.entries(sessions);
const linesOf = (view: ReturnType<typeof viewSession>, kind: string) =>
  view.sections.find((section) => section.kind === kind)?.lines.map(({ text }) => text) ?? [];

describe('wherever a session stands', () => {
  it.each(all)('%s says in text what its card says', (_, facts) => {
    const view = viewSession(facts);
    const card = JSON.stringify(drawAdaptiveCard(view).body);
    const text = drawText(view);
    for (const words of [view.title, view.state.words, view.sentence, view.facts]) {
      expect(text).toContain(words);
      expect(card).toContain(JSON.stringify(words).slice(1, -1));
    }
    for (const { label } of view.buttons) expect(text).toContain(label);
  });

  it.each(all)('%s binds every button to the turn and the digest that were shown', (_, facts) => {
    for (const { press } of viewSession(facts).buttons) {
      expect(SessionPress.parse(press)).toMatchObject({
        run_id: facts.run_id,
        turn: facts.turn,
        digest: facts.digest,
      });
    }
  });

  it('only one that waits has something to decide', () => {
    expect(viewSession(sessions.running).buttons).toEqual([]);
    expect(viewSession(sessions.answered).buttons).toEqual([]);
    expect(viewSession(sessions.rejected).buttons).toEqual([]);
    expect(viewSession(sessions.overtaken).buttons).toEqual([]);
    expect(viewSession(sessions.aborted).buttons.map(({ label }) => label)).toEqual(['Try again']);
  });
});

describe('the card of an outline', () => {
  it('leaves the goal to the title and numbers what lies below it', () => {
    expect(linesOf(viewSession(sessions.outline), 'outline')).toEqual([
      '1  Write',
      '\u20031.1  Draft news/1.md',
      '\u20031.2  Ana reads the draft',
      '2  Announce it',
    ]);
  });

  it('says how long a part waits, in the outline and in the order', () => {
    const nodes = [
      makeNode('goal', { structure: 'goal' }),
      makeNode('a', { parent: 'goal', title: 'Build' }),
      makeNode('b', {
        parent: 'goal',
        title: 'Ship',
        after: [{ id: 'a', type: 'FS', lag_minutes: 2880 }],
      }),
    ];
    const { outline, roadmap } = sessions.roadmap;
    if (outline === null || roadmap === null) throw new Error('no order');
    const edges = [
      { ...{ from: 'a', to: 'b', type: 'FS' as const }, lag_minutes: 2880, why: 'stated' as const },
    ];
    const facts = {
      outline: { ...outline, nodes },
      roadmap: { ...roadmap, waves: [['a'], ['b']], edges },
    };
    const notesOf = (of: keyof typeof sessions) =>
      viewSession(makeSession({ ...sessions[of], ...facts })).sections[0]?.lines.map(
        ({ note }) => note,
      );
    expect(notesOf('outline')).toEqual(['', '2 days after 1']);
    expect(notesOf('roadmap')).toEqual(['', '2 days after Build']);
  });

  it('says what a part is beside a task, and by when', () => {
    const notes = viewSession(sessions.outline).sections[0]?.lines.map(({ note }) => note);
    expect(notes).toEqual([
      'phase',
      'about 1 h 30 min',
      'checkpoint',
      'milestone, by Fri 20 Feb, 17:00',
    ]);
  });

  it('shows the levels that fit into twelve lines, and all of it behind the details', () => {
    const view = viewSession(sessions.largeOutline);
    const [section] = view.sections;
    expect(section?.lines).toHaveLength(6);
    expect(section?.lines[0]?.note).toBe('phase, 30 below');
    expect(section?.more).toBe('… and 180 more');
    expect(view.details?.title).toBe('All 186 parts');
    expect(view.details?.lines).toHaveLength(186);
  });

  it.each([
    [11, 12, null],
    [12, 12, 'All 13 parts'],
  ])('with %i tasks below one phase shows %i lines at most', (tasks, most, details) => {
    const view = viewSession(
      makeSession({ ...sessions.outline, outline: makeLargeOutline(1, tasks) }),
    );
    expect(view.sections[0]?.lines.length).toBeLessThanOrEqual(most);
    expect(view.details?.title ?? null).toBe(details);
  });

  it('counts what is hidden where even the first level is too long', () => {
    const nodes = Array.from({ length: 40 }, (_, i) => makeNode(`${i}`));
    const view = viewSession(makeSession({ ...sessions.outline, outline: { ...outline, nodes } }));
    expect(view.sections[0]?.lines).toHaveLength(12);
    expect(view.sections[0]?.more).toBe('… and 28 more');
  });

  it('ends whatever the parents are', () => {
    const node = fc.record({ id: fc.nat(9).map(String), parent: fc.option(fc.nat(9).map(String)) });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 30 }), (drawn) => {
        const nodes = drawn.map(({ id, parent }) => makeNode(id, { parent }));
        viewSession(makeSession({ ...sessions.outline, outline: { ...outline, nodes } }));
      }),
    );
  });
});

describe('the card of a roadmap', () => {
  it('shows the order without the phases above it', () => {
    expect(linesOf(viewSession(sessions.roadmap), 'order')).toEqual([
      'Draft news/1.md',
      'Ana reads the draft',
      'Announce it',
    ]);
  });

  it('sums no days of work and of waits', () => {
    const { roadmap } = sessions.roadmap;
    if (roadmap === null) throw new Error('no roadmap');
    const options_tried = roadmap.options_tried.map((one) => ({
      ...one,
      metrics: { ...one.metrics, makespan_minutes: 2760 },
    }));
    const notesOf = (duration: string) => {
      const task = { id: 'a', description: 'Ask', tool: 'human', operation: 'task' };
      const nodes = [
        ...outline.nodes,
        makeNode('ask', { steps: [{ ...task, duration, duration_minutes: 960 }] }),
      ];
      const facts = { ...sessions.roadmap, outline: { ...outline, nodes } };
      const view = viewSession(makeSession({ ...facts, roadmap: { ...roadmap, options_tried } }));
      return view.sections
        .find(({ kind }) => kind === 'ways')
        ?.lines.map(({ note }) => note)
        .join();
    };
    expect(notesOf('2 working days')).not.toContain('about');
    expect(notesOf('2 days')).toContain('about 1 d 22 h');
  });

  it('says which way was taken, what the others were, and why', () => {
    const view = viewSession(sessions.roadmap);
    expect(linesOf(view, 'ways')).toEqual(['checked (chosen)', 'as requested']);
    expect(view.sections.find(({ kind }) => kind === 'ways')?.lines[1]?.note).toBe(
      'about 1 h 30 min · 2 at once · 2 changes before a check · 1 risky step without a check first',
    );
    expect(linesOf(view, 'options')).toEqual(['“The announcement cannot be taken back.”']);
  });
});

describe('the card of a schedule', () => {
  it('is in the order of time and in the reader’s zone', () => {
    const lines = viewSession(sessions.schedule).sections[0]?.lines;
    expect(lines?.map(({ text, note }) => `${text}: ${note}`)).toEqual([
      'Draft news/1.md: Wed 4 Feb, 10:00 to 11:30 · estimate',
      'Ana reads the draft: Thu 5 Feb, 10:00 to 11:00 · ana · fixed',
    ]);
  });

  it('says what it overlaps and when there is room', () => {
    const view = viewSession(sessions.schedule);
    expect(linesOf(view, 'conflicts')).toEqual(['Ana reads the draft overlaps Team meeting']);
  });

  it('offers the free times as changes by a press', () => {
    const moves = viewSession(sessions.schedule).buttons.filter(({ press }) => press.choice);
    expect(moves.map(({ label, press }) => [label, press.action, press.choice])).toEqual([
      [
        'Move to 11:00',
        'session_changes',
        'start step "check" on 2026-02-05 at 11:00 Europe/Madrid',
      ],
      [
        'Move to Fri 6 Feb, 10:30',
        'session_changes',
        'start step "check" on 2026-02-06 at 10:30 Europe/Madrid',
      ],
    ]);
  });
});

describe('other cards', () => {
  it('a new subtype is shown with why it is needed and the nearest that is known', () => {
    const view = viewSession(sessions.rfc);
    expect(view.quotes.map(drawQuote).join()).toContain('Why: “Doses depend on the day before');
    expect(linesOf(view, 'pattern')).toEqual(['daily health protocol v2']);
    expect(linesOf(view, 'options')).toEqual(['recurring cycle']);
    expect(view.buttons.map(({ label }) => label)).toEqual([
      'Approve',
      'Propose changes',
      'Reject',
    ]);
  });

  it('what does not fit offers each relaxation as a change', () => {
    const [first] = viewSession(sessions.escalation).buttons;
    expect(first?.label).toBe('Announce it on Friday instead of Thursday');
    expect(first?.press).toMatchObject({
      action: 'session_changes',
      choice: 'Announce it on Friday instead of Thursday',
    });
    const offline = viewSession({ ...sessions.escalation, planner: offlinePlanner });
    expect(offline.buttons[0]?.label).toBe('Propose changes');
  });

  it('a relaxation whose words are longer than a button keeps all of them in the press', () => {
    const text = `Move ${'the review '.repeat(30)}to Friday`;
    const infeasible = { reason: 'Late.', relaxations: [{ node: null, text }] };
    const view = viewSession(makeSession({ ...sessions.escalation, infeasible }));
    expect(view.buttons[0]?.label.length).toBeLessThanOrEqual(60);
    expect(view.buttons[0]?.press.choice).toBe(text);
    expect(checkSlackMessage(drawBlocks(view))).toEqual([]);
  });

  it('a relaxation with a label has a short, whole button, and its words once in the list', () => {
    const text = "Move the deadline of “Ask Clara 'Please review'” to Tue, 8 Dec 2026, 17:00.";
    const label = 'Move the deadline to Tue, 8 Dec 2026, 17:00';
    const infeasible = {
      reason: '“Ask Clara” ends late.',
      relaxations: [{ node: null, text, label }],
    };
    const view = viewSession(makeSession({ ...sessions.escalation, infeasible }));
    expect(view.buttons[0]).toMatchObject({ label: `1: ${label}`, press: { choice: text } });
    expect(view.quotes.map(({ words }) => words)).toEqual(['“Ask Clara” ends late.']);
    expect(linesOf(view, 'relaxations')).toEqual([text]);
  });

  it('working time is said per person and week', () => {
    const { portfolio } = sessions.schedule;
    if (portfolio === null) throw new Error('no portfolio');
    const weeks = [
      { person: 'ana', from: '2026-02-02', share: 0.4 },
      { person: 'Ben', from: '2026-02-09', share: 1.1 },
    ];
    const view = viewSession(
      makeSession({ ...sessions.schedule, portfolio: { ...portfolio, weeks } }),
    );
    expect(linesOf(view, 'options')).toEqual([
      'ana, week of 2 Feb: 40 % booked',
      'Ben, week of 9 Feb: 110 % booked',
    ]);
  });

  it('three questions of four long options have a button for each, in Slack and in Teams', () => {
    const long = (mark: string) => mark.repeat(80);
    const offers = ['"', '\\', '<', '€'].flatMap((mark) =>
      [1, 2, 3].map((n) => ({
        name: `${n}: ${long(mark)}`,
        text: '',
        answer: `${n}: ${long(mark)}`,
      })),
    );
    const questions = [long('x'), long('y'), long('z')].map((one) => one.repeat(6));
    const view = viewSession(makeSession({ ...sessions.question, questions, offers }));
    expect(view.buttons).toHaveLength(13);
    const message = drawBlocks(view);
    expect(checkSlackMessage(message)).toEqual([]);
    expect(measureBlocks(message.blocks)).toBeLessThan(platformLimits.slack.message);
    expect(JSON.stringify(message).match(/session_answer/g)?.length).toBeGreaterThanOrEqual(13);
    const card = drawAdaptiveCard(view);
    expect(checkAdaptiveCard(card)).toEqual([]);
    expect(measureCard(card)).toBeLessThan(platformLimits.teams.payload);
  });

  it('whoever may not decide reads who can', () => {
    const view = viewSession(
      makeSession({ ...sessions.outline, may_decide: false, approvers: 'ana or ben' }),
    );
    expect(view.state.line).toMatch(/^◷ Waiting for ana or ben · /);
  });

  it('markup in what a model wrote stays text', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it must look like a template
    const evil = '<!channel> **bold** {{DATE(2026-01-01)}} ${title} <script>\u202e';
    const facts = makeSession({
      ...sessions.outline,
      outline: { ...outline, title: evil, nodes: [makeNode('x', { title: evil })] },
    });
    const view = viewSession(facts);
    const { text, blocks } = drawBlocks(view);
    expect(text).not.toContain('<!channel>');
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
    const card = JSON.stringify(drawAdaptiveCard(view));
    expect(card).not.toContain('{{DATE');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    expect(card).toContain('${title}');
    expect(card).not.toContain('\u202e');
    expect(checkAdaptiveCard(drawAdaptiveCard(view))).toEqual([]);
  });
});

describe('a press on a session’s card', () => {
  const [choice] = viewSession(sessions.offers).buttons;

  it('is read with what its button stands for', () => {
    expect(readSessionPress({ ...choice?.press })?.text).toBe('Write one letter');
  });

  it('is read with what was typed beside it', () => {
    const press = viewSession(sessions.outline).buttons[1]?.press;
    const data = { ...press, 'text:session_changes': ' later ' };
    expect(readSessionPress(data)).toMatchObject({
      text: 'later',
      press: { action: 'session_changes' },
    });
  });

  it.each([null, {}, { action: 'approve', plan_id: 'PLAN-1', version: 1, digest: 'x' }])(
    'is not %j',
    (data) => {
      expect(readSessionPress(data)).toBeNull();
    },
  );
});
