// A waiting planning session: who decides what, once.
import { describe, expect, test } from 'vitest';
import { storePerson } from '#db/people/identities.ts';
import type { SessionChoice } from '#domain/chat/session-card.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { settled as settledRun } from '../../fixtures/model-instance.ts';
import { digestOf, rfc, stagedPlanner } from '../../fixtures/staged-planner.ts';
import { ana, ben, noop } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const cleo: Actor = person('cleo', 'api');

const planner = stagedPlanner(() => instance.db.query);
const { asked } = planner;

const instance = useInstance({ planner, settings: { approvers: ['cleo'] } });

const settled = (runId: string) => settledRun(instance, runId);

async function ask(conversation: string, text: string, actor: Actor = ana): Promise<string> {
  const { run_id } = await instance.service.startRun({ text, conversation }, actor);
  await settled(run_id);
  return run_id;
}

const cardOf = (runId: string, user = 'ana') =>
  instance.service.runCard(runId, { user, timezone: 'UTC' });

async function pressOf(
  runId: string,
  word: { kind: 'approve' } | { kind: 'reject' } | { kind: 'changes'; feedback: string },
): Promise<SessionChoice> {
  const { digest, turn } = await cardOf(runId);
  return { ...word, digest, turn };
}

const { textsIn } = readsOf(() => instance);

async function say(conversation: string, text: string, actor: Actor = ana) {
  await instance.service.say(conversation, text, actor);
}

const requestsOf = (runId: string) => asked.filter((request) => request.runId === runId);

describe('a session at a gate', () => {
  test('goes on with the word "approve", stage by stage, until the plan itself is approved', async () => {
    const run = await ask('gates', 'Plan the launch');
    expect((await cardOf(run)).pause).toMatchObject({ kind: 'gate', gate: 'outline' });
    await say('gates', 'approve');
    await settled(run);
    expect((await cardOf(run)).pause).toMatchObject({ kind: 'gate', gate: 'roadmap' });
    await say('gates', 'Approve');
    const { plan_id } = await settled(run);
    expect(requestsOf(run).map(({ turn, text, decision }) => ({ turn, text, decision }))).toEqual([
      { turn: 1, text: 'Plan the launch', decision: { kind: 'said' } },
      {
        turn: 2,
        text: 'Plan the launch',
        decision: { kind: 'approve', by: 'ana', digest: digestOf('a1') },
      },
      {
        turn: 3,
        text: 'Plan the launch',
        decision: { kind: 'approve', by: 'ana', digest: digestOf('b1') },
      },
    ]);
    // A bare decision refers to earlier messages.
    expect(requestsOf(run).map(({ history }) => history)).toEqual([[], [], []]);
    await say('gates', 'approve');
    expect((await instance.service.getPlan(String(plan_id))).decided_by).toBe('ana');
    expect(await instance.service.getRun(run)).toMatchObject({ planning_status: 'complete' });
  });

  test('is sent back with what should change', async () => {
    const run = await ask('changes', 'Plan the launch');
    await say('changes', 'propose changes: Add a test');
    await settled(run);
    expect(requestsOf(run)[1]).toMatchObject({
      text: 'Add a test',
      decision: { kind: 'changes', by: 'ana', feedback: 'Add a test' },
    });
    expect((await cardOf(run)).digest).toBe(digestOf('a2'));
  });

  test('ends when it is rejected, and nothing has run', async () => {
    const run = await ask('rejected', 'Plan the launch');
    await say('rejected', 'reject');
    expect(await settled(run)).toMatchObject({
      planning_status: 'aborted',
      escalate_reason: 'ana rejected it.',
    });
    await say('rejected', 'approve');
    expect((await textsIn('rejected')).at(-1)).toBe(
      'No plan is waiting for a decision here. Ask for something first.',
    );
  });

  test('still waits after a question about it was answered', async () => {
    const run = await ask('beside', 'Plan the launch');
    await say('beside', 'What is this?');
    const { planning_status, response_text } = await settled(run);
    expect(planning_status).toBe('needs_clarification');
    expect(response_text).toBe(
      'It is the first draft.\nReply “approve”, “propose changes: …” or “reject” about this outline.',
    );
    await say('beside', 'approve');
    await settled(run);
    expect((await cardOf(run)).pause?.gate).toBe('roadmap');
  });

  test('has no single steps to approve', async () => {
    const run = await ask('part', 'Plan the launch');
    await say('part', 'approve all but 2');
    expect((await textsIn('part')).at(-1)).toMatch(
      /^You can choose single steps only on a plan's card/,
    );
    expect((await instance.service.getRun(run)).planning_status).toBe('needs_clarification');
  });
});

describe('who decides', () => {
  test('is never a model, whatever it says', async () => {
    const run = await ask('model', 'Plan the launch');
    const model: Actor = { kind: 'model', id: 'ana', via: 'system' };
    for (const text of ['approve', 'reject', 'propose changes: less']) {
      await expect(instance.service.reply(run, text, model)).rejects.toMatchObject({
        code: 'not_allowed',
      });
    }
    await expect(
      instance.service.decideRun(run, await pressOf(run, { kind: 'approve' }), model),
    ).rejects.toMatchObject({ code: 'not_allowed' });
    expect(requestsOf(run)).toHaveLength(1);
  });
});

describe('a press', () => {
  test('counts once however many come at the same moment', async () => {
    const run = await ask('race', 'Plan the launch');
    const choice = await pressOf(run, { kind: 'approve' });
    const presses = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        instance.service.decideRun(run, choice, i % 2 === 0 ? ana : cleo),
      ),
    );
    const codes = presses.map((press) =>
      press.status === 'fulfilled' ? 'done' : press.reason.code,
    );
    const firsts = new Set(codes.flatMap((code, i) => (code === 'done' ? [i % 2] : [])));
    expect(firsts.size).toBe(1);
    expect(codes.every((code) => ['done', 'already_decided', 'stale_version'].includes(code))).toBe(
      true,
    );
    await settled(run);
    expect(requestsOf(run)).toHaveLength(2);
    expect((await textsIn('race')).filter((text) => text === 'approve')).toHaveLength(1);
  });

  test('decides about the plan where that is what the run waits with', async () => {
    const run = await ask('plan-press', 'Write a note');
    const { plan_id } = await instance.service.getRun(run);
    const { digest } = await instance.service.getPlan(String(plan_id));
    const stale = instance.service.decideRun(run, { kind: 'approve', digest: 'other' }, ana);
    await expect(stale).rejects.toMatchObject({ code: 'invalid_transition' });
    await instance.service.decideRun(run, { kind: 'approve', digest }, ana);
    expect((await instance.service.getPlan(String(plan_id))).decided_by).toBe('ana');
  });
});

describe('a word', () => {
  test('decides nothing while a plan is open beside the gate', async () => {
    const run = await ask('both', 'Plan the launch');
    const plan = await instance.service.propose(
      { title: 'Sent over the API', steps: [noop('1')] },
      { conversation: 'both' },
      ana,
    );
    await say('both', 'approve');
    expect(await textsIn('both')).toContain(
      `Several things are waiting here: ${plan.id} and the outline of “Plan the launch”. Use the buttons on the card you mean.`,
    );
    expect((await instance.service.getPlan(plan.id)).status).toBe('proposed');
    expect(requestsOf(run)).toHaveLength(1);
  });
});

describe('a new pattern', () => {
  test('waits for a person, and goes on when it is approved', async () => {
    const run = await ask('rfc', 'Invent a protocol');
    expect(await instance.service.getRun(run)).toMatchObject({
      planning_status: 'needs_clarification',
      pattern: { subtype: 'proposed:daily_doses' },
      pattern_rfc_required: true,
      pattern_rfc_text: rfc.text,
      escalate_reason: `A pattern that is new waits for approval: ${rfc.text}`,
    });
    await say('rfc', 'approve');
    const after = await settled(run);
    expect(after).toMatchObject({ pattern_rfc_required: false, pattern_rfc_text: rfc.text });
    expect(after.plan_id).toBeDefined();
    const [kept] = await instance.service.listMemory('ana', person('ana', 'console'));
    expect(kept).toMatchObject({ name: rfc.proposes, text: rfc.text, source: { run } });
    expect((await textsIn('rfc')).join('\n')).toContain(`I'll remember “${rfc.proposes}: `);
  });
});

describe('the budget', () => {
  test.each(['go on', 'Yes.', 'approve'])('goes on with "%s"', async (word) => {
    const run = await ask(`budget ${word}`, 'Spend freely');
    await say(`budget ${word}`, word);
    await settled(run);
    expect(requestsOf(run)[1]?.decision).toEqual({ kind: 'approve', by: 'ana', digest: null });
  });

  test('is left alone by other words', async () => {
    const run = await ask('budget talk', 'Spend freely');
    await say('budget talk', 'yes, but only the first phase');
    await settled(run);
    expect(requestsOf(run)[1]?.decision).toEqual({ kind: 'said' });
  });
});

describe('a schedule that doesn’t fit', () => {
  test('escalates with its reason, has nothing to approve and takes a change', async () => {
    const run = await ask('late', 'Hurry up');
    expect(await instance.service.getRun(run)).toMatchObject({
      planning_status: 'needs_scheduling_escalation',
      escalate_reason: 'It ends a day late.',
    });
    expect((await cardOf(run)).infeasible?.relaxations).toHaveLength(1);
    await say('late', 'approve');
    expect((await textsIn('late')).at(-1)).toBe(
      'There is nothing to approve yet: this is a schedule that doesn’t fit. Tell me which of these may change, or reply “reject”.',
    );
    const change = await pressOf(run, { kind: 'changes', feedback: 'Deliver on Friday' });
    await instance.service.decideRun(run, change, ana);
    await settled(run);
    expect(requestsOf(run)[1]?.decision).toMatchObject({
      kind: 'changes',
      feedback: 'Deliver on Friday',
    });
  });
});
describe('the trace', () => {
  const traceOf = async (planId: string) => (await instance.service.trace(planId)).entries;

  test('tells who approved the plan, at which call, and how long after it was shown', async () => {
    const run = await ask('trace', 'Write a note');
    const { plan_id } = await instance.service.getRun(run);
    await say('trace', 'approve');
    const entries = await traceOf(String(plan_id));
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ tool: 'handle_approval', turn: 1 });
    expect(entries[1]).toMatchObject({
      stage: 'SEEK_APPROVAL',
      tool: 'person',
      decision: 'approve by ana',
      call_to_action: 'Reply “approve”, “propose changes: …” or “reject”.',
      cost_delta: 0,
      turn: 1,
    });
    expect(entries[1]?.duration_ms).toBeGreaterThanOrEqual(0);
  });
});

describe('a revision', () => {
  test('goes on behind a gate, and the plan waits for it', async () => {
    const { id } = await instance.service.propose(
      { title: 'Party', steps: [noop('1')] },
      { conversation: 'revise' },
      ana,
    );
    await instance.service.proposeChanges(id, { version: 1, feedback: 'Add a test' }, ana);
    const run = await waitFor(
      'the run',
      async () => asked.find(({ revision }) => revision?.previous.title === 'Party')?.runId,
    );
    await settled(run);
    expect(requestsOf(run)[0]?.decision).toMatchObject({ kind: 'changes', by: 'ana' });
    expect((await instance.service.getPlan(id)).version).toBe(2);
  });
});

describe('words about how to talk', () => {
  test('are confirmed, plan nothing, and hold in the conversation', async () => {
    const { run_id } = await instance.service.startRun(
      { text: 'Be brief today', conversation: 'brief' },
      ana,
    );
    const run = await instance.service.getRun(run_id);
    expect(run.planning_status).toBe('complete');
    expect((await textsIn('brief')).at(-1)).toMatch(/^In this conversation I /);
    const next = await ask('brief', 'Plan the launch');
    expect(requestsOf(run_id)).toEqual([]);
    expect(requestsOf(next)[0]?.policy.conversation_style).toBe('concise');
    const elsewhere = await ask('elsewhere', 'Plan the launch');
    expect(requestsOf(elsewhere)[0]?.policy.conversation_style).toBe('standard');
  });

  test('said for good are kept for the person, and one word in a run still wins', async () => {
    const dan = person('dan', 'api');
    await say('always', 'From now on be brief', dan);
    const kept = await ask('dan elsewhere', 'Plan the launch', dan);
    expect(requestsOf(kept)[0]?.policy.conversation_style).toBe('concise');
    const { run_id } = await instance.service.startRun(
      {
        text: 'Plan the launch',
        conversation: 'dan override',
        interaction_policy: { conversation_style: 'coach' },
      },
      dan,
    );
    await settled(run_id);
    expect(requestsOf(run_id)[0]?.policy.conversation_style).toBe('coach');
  });

  test('of somebody else do not take a request out of its requester’s control', async () => {
    const { run_id } = await instance.service.startRun(
      {
        text: 'Plan the launch',
        conversation: 'strict words',
        interaction_policy: { approval_policy: 'strict_every_step' },
      },
      ana,
    );
    await settled(run_id);
    await say('strict words', 'only ask me once at the end', ben);
    await waitFor('the next turn', async () => requestsOf(run_id)[1] ?? null);
    await settled(run_id);
    expect(requestsOf(run_id)[1]?.policy.approval_policy).toBe('strict_every_step');
  });

  test('at a gate change how it goes on, and decide nothing', async () => {
    const run = await ask('gate words', 'Plan the launch');
    await say('gate words', 'Be brief');
    expect((await instance.service.getRun(run)).planning_status).toBe('needs_clarification');
    expect(requestsOf(run)).toHaveLength(1);
    await say('gate words', 'approve');
    await settled(run);
    expect(requestsOf(run)[1]?.policy.conversation_style).toBe('concise');
  });
});

describe('somebody with two accounts', () => {
  const dora: Actor = person('dora', 'api');

  test('decides, and says how to be talked to, about what either account asked for', async () => {
    const run = await ask('two accounts', 'Plan the launch', dora);
    await instance.db.transaction((tx) =>
      storePerson(tx, ['dora', 'dora@example.com'], 'dora@example.com'),
    );
    for (const user of ['dora', 'dora@example.com']) {
      expect((await cardOf(run, user)).may_decide).toBe(true);
    }
    expect((await cardOf(run, 'ben')).may_decide).toBe(false);
    await say('two accounts', 'Be brief', dora);
    expect(requestsOf(run)).toHaveLength(1);
    const next = await ask('two accounts', 'Plan the party', dora);
    expect(requestsOf(next)[0]?.policy.conversation_style).toBe('concise');
  });
});
