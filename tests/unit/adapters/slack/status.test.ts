import { expect, test } from 'vitest';
import { createSlackPort } from '#adapters/slack/port/slack-port.ts';
import { nameMessage, placeOf } from '#adapters/slack/signals/name-signal.ts';
import type { ShownStatus } from '#domain/chat/chat.ts';
import { systemClock } from '#domain/clock.ts';
import type { Activity } from '#domain/planning/activity.ts';
import type { SlackOptions } from '../../../fixtures/slack/double.ts';
import { createLimits } from '../../fixtures/rate-limits.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

const thinking: Activity = { kind: 'thinking' };
const reading: Activity = { kind: 'reading', operation: 'files_read', what: 'notes/brief.md' };
const agentScopes = ['chat:write', 'channels:history', 'assistant:write'];
const never = new AbortController().signal;

async function useStatus(options: SlackOptions = {}) {
  const slack = await useSlack(options);
  const ana = slack.addUser({ name: 'ana' });
  const channel = slack.addChannel({ name: 'release', members: [ana.id] }).id;
  const { ts } = (await slack.say(ana.id, channel, 'Look into it')).message;
  const warnings: string[] = [];
  const client = clientOf(slack);
  const { status: port } = createSlackPort({
    clientOf: async () => client,
    clock: systemClock,
    limits: createLimits(),
    warn: (message) => warnings.push(message),
  });
  if (port === undefined) throw new Error('Slack has a status.');
  const place = placeOf(slack.workspace.id, channel, ts);
  const shown = { turn: 'run-1:1', asked: nameMessage(slack.workspace.id, channel, ts) };
  const methods = () =>
    slack.calls.map(({ method }) => method).filter((method) => method.endsWith('setStatus'));
  let before: ShownStatus | null = null;
  return {
    ...{ slack, ana, channel, ts, port, place, warnings, methods },
    async show(activity: Activity) {
      const own = await port.show(place, { ...shown, activity }, before, never);
      before = { ...shown, activity, at: '', ...(own === undefined ? {} : { own }) };
      return before;
    },
  };
}

test('says what is done in words, and takes them away', async () => {
  const { slack, channel, port, place, show, methods } = await useStatus();
  await show(thinking);
  expect(slack.statuses(channel)).toEqual(['is thinking…']);
  const shown = await show(reading);
  expect(slack.statuses(channel)).toEqual(['is reading notes/brief.md…']);
  await port.clear(place, shown, never);
  expect(slack.statuses(channel)).toEqual([]);
  expect(new Set(methods())).toEqual(new Set(['assistant.threads.setStatus']));
});

test('in a direct message it stands under what was asked', async () => {
  const { slack, ana, port } = await useStatus();
  const direct = slack.direct(ana.id).id;
  const { ts } = (await slack.say(ana.id, direct, 'And here')).message;
  const team = slack.workspace.id;
  const place = placeOf(team, direct, ts);
  expect(place.thread).toBeNull();
  const asked = nameMessage(team, direct, ts);
  await port.show(place, { asked, activity: thinking }, null, never);
  expect(slack.statuses(direct)).toEqual(['is thinking…']);
  await port.show(place, { asked: null, activity: reading }, null, never);
  expect(slack.statuses(direct)).toEqual(['is thinking…']);
});

test('an app that is an agent has a session as well, begun once and ended with the answer', async () => {
  const events = ['app_mention', 'agent_session_stopped'];
  const options = { app: { agent: true, events }, scopes: agentScopes };
  const { slack, channel, ts, port, place, show, methods } = await useStatus(options);
  await show(thinking);
  expect(slack.session(channel, ts)).toBe('processing');
  const shown = await show(reading);
  expect(methods().filter((method) => method === 'agents.sessions.setStatus')).toHaveLength(1);
  await port.clear(place, shown, never);
  expect(slack.statuses(channel)).toEqual([]);
  const states = ['suspended', 'suspended', 'active', 'closed'] as const;
  for (const state of states) {
    await port.rest?.(place, shown, async () => state, never);
    expect(slack.session(channel, ts)).toBe(state);
  }
  expect(methods().filter((method) => method === 'agents.sessions.setStatus')).toHaveLength(4);
});

test('a workspace whose app only looks like an agent is asked for a session once', async () => {
  const { slack, channel, show, methods } = await useStatus({ scopes: agentScopes });
  await show(thinking);
  await show(reading);
  expect(slack.statuses(channel)).toEqual(['is reading notes/brief.md…']);
  expect(methods().filter((method) => method === 'agents.sessions.setStatus')).toHaveLength(1);
});

test('where Slack takes no words any more, the session alone is left', async () => {
  const options = { app: { agent: true }, scopes: agentScopes };
  const { slack, channel, ts, show, methods, warnings } = await useStatus(options);
  slack.fail('assistant.threads.setStatus', { error: 'method_deprecated' });
  await show(thinking);
  await show(reading);
  expect(slack.session(channel, ts)).toBe('processing');
  expect(methods()).toEqual(['assistant.threads.setStatus', 'agents.sessions.setStatus']);
  expect(warnings).toHaveLength(1);
});

test('without the scope nothing is shown, it is said once, and Slack is asked no more', async () => {
  const scopes = ['channels:history'];
  const { channel, slack, show, methods, warnings } = await useStatus({ scopes });
  await show(thinking);
  await show(reading);
  expect(slack.statuses(channel)).toEqual([]);
  expect(methods()).toEqual(['assistant.threads.setStatus', 'agents.sessions.setStatus']);
  expect(warnings).toEqual([expect.stringContaining('missing_scope')]);
});

test('a thread that is not there is nothing to speak of', async () => {
  const { slack, port, place, show, channel, warnings } = await useStatus();
  const gone = { ...place, thread: '1.000001' };
  await port.show(gone, { asked: null, activity: thinking }, null, never);
  await port.show({ ...place, channel: 'C0' }, { asked: null, activity: thinking }, null, never);
  expect(warnings).toEqual([]);
  await show(thinking);
  expect(slack.statuses(channel)).toEqual(['is thinking…']);
});

test('a limit is kept to: Slack is not asked again before it said', async () => {
  const { slack, show, methods } = await useStatus();
  slack.fail('assistant.threads.setStatus', { status: 429, retryAfter: 30 });
  await expect(show(thinking)).rejects.toMatchObject({ passesAfterMs: 30_000 });
  await expect(show(reading)).rejects.toMatchObject({ code: 'tool_unavailable' });
  expect(methods()).toHaveLength(1);
});
