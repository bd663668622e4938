// Reads, sends to and follows the conversation.
import type { EventSourceMessage } from 'eventsource-parser';
import type { WantedModes } from '#domain/plan/modes.ts';
import type { PlanningActivity } from '#domain/planning/activity.ts';
import type { Message } from '#domain/service.ts';
import { ApiError, describeError, get, post } from './api.ts';
import { openPlan } from './focus.ts';
import { refreshInbox } from './inbox.ts';
import { readOnScreen } from './part.ts';
import { loadCard } from './plans.ts';
import { loadSessionsOf } from './sessions.ts';
import { createState } from './state.ts';
import { change, state } from './store.ts';
import { follow } from './stream.ts';
import { catchUp, refreshPlans } from './watch.ts';

/** Set by the composer's switch. */
const extensively: WantedModes = { plan_reasoning_mode: 'extensive', planning_mode: 'extensive' };

let ending = new AbortController();

const path = (rest: string) =>
  `/api/conversations/${encodeURIComponent(state.conversation)}/${rest}`;

export function createConversationId(): string {
  return `console-${crypto.randomUUID().slice(0, 13)}`;
}

/** Each once: stream and reload may overlap. */
export function mergeMessages(known: Message[], added: Message[]): Message[] {
  const byId = new Map([...known, ...added].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

function takeMessages(added: Message[], old: boolean): void {
  if (added.length === 0) return;
  change((s) => {
    s.messages = mergeMessages(s.messages, added);
  });
  loadSessionsOf(added);
  const spoken = added.flatMap((message) => (message.plan_id === null ? [] : [message.plan_id]));
  for (const id of new Set(spoken)) {
    loadCard(id).catch((error: unknown) => {
      change((s) => s.notices.set(id, describeError(error)));
    });
  }
  const last = spoken.at(-1);
  if (last !== undefined && (!old || state.plan === null)) openPlan(last);
  if (!old) refreshInbox();
}

function parseMessages(data: string): Message[] {
  const parsed: Message | Message[] = JSON.parse(data);
  return Array.isArray(parsed) ? parsed : [parsed];
}

function takeEvent({ event, data }: EventSourceMessage): void {
  if (event === 'plans') {
    refreshPlans(JSON.parse(data));
    return;
  }
  if (event !== 'planning') {
    takeMessages(parseMessages(data), false);
    return;
  }
  const planning: PlanningActivity | null = JSON.parse(data);
  change((s) => {
    s.planning = planning;
    if (planning === null || nameTurn(planning) !== s.stopping) s.stopping = null;
  });
}

const nameTurn = ({ run_id, turn }: PlanningActivity) => `${run_id} ${turn}`;

async function loadMessages(signal: AbortSignal): Promise<void> {
  const limit = 200;
  for (let after = 0; ; ) {
    const { messages } = await get<{ messages: Message[] }>(
      path(`messages?after=${after}&limit=${limit}`),
    );
    // Another conversation was opened.
    if (signal.aborted) return;
    takeMessages(messages, true);
    if (messages.length < limit) return;
    after = messages.at(-1)?.id ?? after;
  }
}

export async function openConversation(id: string): Promise<void> {
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  // State outside conversations stays, and unsent drafts do.
  const { inbox, triage, builder, shortcuts, pane, tokenWanted, typed, off, pressing } = state;
  const kept = { inbox, triage, builder, shortcuts, pane, tokenWanted, typed, off, pressing };
  change((s) => Object.assign(s, createState(id), kept));
  try {
    await loadMessages(signal);
  } catch (error) {
    if (signal.aborted) return;
    // A reader may see a plan without its conversation.
    const isTheirs = error instanceof ApiError && error.status === 404;
    change((s) => {
      if (isTheirs) s.conversation = createConversationId();
      else s.problem = describeError(error);
    });
  }
  if (signal.aborted) return;
  change((s) => {
    s.loaded = true;
  });
  void follow(
    path('events?plans=true'),
    String(state.messages.at(-1)?.id ?? 0),
    {
      onEvent: takeEvent,
      onState: (connection) => {
        change((s) => {
          s.connection = connection;
          if (connection === 'live') s.problem = null;
        });
        if (connection === 'live') catchUp();
      },
    },
    signal,
  );
}

/** True once the server has it; otherwise the text stays. */
export async function say(text: string): Promise<boolean> {
  change((s) => {
    s.sending = true;
    s.problem = null;
  });
  try {
    const modes = state.extensive ? extensively : {};
    await post(path('messages'), { text, ...readOnScreen(state), ...modes });
    change((s) => {
      s.extensive = false;
    });
    return true;
  } catch (error) {
    change((s) => {
      s.problem = describeError(error);
    });
    return false;
  } finally {
    change((s) => {
      s.sending = false;
    });
  }
}

/** Activity stays until the server confirms. */
export async function stopPlanning(planning: PlanningActivity): Promise<void> {
  const { run_id, turn } = planning;
  change((s) => {
    s.stopping = nameTurn(planning);
    s.problem = null;
  });
  try {
    await post(`/api/runs/${encodeURIComponent(run_id)}/stop`, { turn });
  } catch (error) {
    change((s) => {
      s.stopping = null;
      s.problem = describeError(error);
    });
  }
}
