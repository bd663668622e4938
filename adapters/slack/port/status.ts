// Shows planning activity under the thread.
// `assistant.threads.setStatus` takes words; `agents.sessions.setStatus` adds a Stop button for agents.
// The second is used with the agent scope, and alone if the first is refused.
import { z } from 'zod';
import { describeActivity } from '#cards/activity-words.ts';
import type { ChatPlace, RestingState, StatusPort } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Activity } from '#domain/planning/activity.ts';
import { createRecent } from '#domain/recent.ts';
import { cutShown } from '#domain/shown-text.ts';
import type { Ask } from '../calls/hold.ts';
import { readMessageName } from '../signals/name-signal.ts';
import type { ClientOf } from '../workspaces.ts';
import { calm } from './content.ts';

/** `sessions` is null until known. */
type Ways = { words: boolean; sessions: boolean | null };

type SessionState = 'processing' | RestingState;

const maxKept = 1000;
/** To show or hide the first status. */
const firstWithinMs = 1500;
/** https://docs.slack.dev/ai/agent-sessions */
const agentScope = 'assistant:write';

/** Only this thread or channel. */
const ofThePlace = new Set([
  'cannot_reply_to_message',
  'channel_not_found',
  'invalid_thread_ts',
  'is_archived',
  'not_in_channel',
  'thread_not_found',
]);

/** `session`: `processing` until changed. */
const Own = z.object({ session: z.boolean() });

/** Permanent. @throws transient errors and our own */
function refusalIn(error: unknown): string {
  const code = error instanceof CountersignError ? error.details.slack : undefined;
  if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
  if (typeof code !== 'string') throw error;
  return code;
}

export function createStatusPort(options: {
  clientOf: ClientOf;
  ask: Ask;
  warn(message: string, error?: unknown): void;
}): StatusPort {
  const { clientOf, ask, warn } = options;
  const known = createRecent<Ways>({ keep: maxKept });
  const states = createRecent<SessionState>({ keep: maxKept });
  /** By thread, with the result of `setWords`. */
  const firsts = createRecent<Promise<boolean | null>>({ keep: maxKept });
  const waysOf = (team: string): Ways => known.get(team) ?? { words: true, sessions: null };

  /** @returns whether the app may write as an agent; null if refused */
  async function setWords(
    at: Target,
    status: string,
    sent: () => void = () => {},
  ): Promise<boolean | null> {
    const { team, channel_id, thread_ts, givenUp } = at;
    const call = { team, method: 'assistant.threads.setStatus', channel: null, action };
    const client = await clientOf(team, givenUp);
    try {
      const { response_metadata } = await ask(call, () => {
        const answer = client.assistant.threads.setStatus({ channel_id, thread_ts, status });
        sent();
        return answer;
      });
      return response_metadata?.scopes?.includes(agentScope) ?? false;
    } catch (error) {
      const code = refusalIn(error);
      if (ofThePlace.has(code)) return null;
      known.set(team, { ...waysOf(team), words: false });
      warn(`Slack shows no planning status in ${team}: ${code}.`, error);
      return null;
    }
  }

  /** @returns whether Slack accepted it */
  async function setSession(at: Target, status: SessionState, title = ''): Promise<boolean> {
    const { team, channel_id, thread_ts, givenUp } = at;
    // Only a new session takes it.
    const named = title === '' ? {} : { title };
    const call = { team, method: 'agents.sessions.setStatus', channel: null, action };
    const client = await clientOf(team, givenUp);
    try {
      await ask(call, () =>
        client.agents.sessions.setStatus({ channel_id, thread_ts, status, ...named }),
      );
      states.set(keyOf(at), status);
      known.set(team, { ...waysOf(team), sessions: true });
      return true;
    } catch (error) {
      if (!ofThePlace.has(refusalIn(error))) known.set(team, { ...waysOf(team), sessions: false });
      return false;
    }
  }

  /** Later words wait for it, since a late first status would replace them. */
  async function takeFirst(at: Target): Promise<boolean | null> {
    const first = firsts.get(keyOf(at));
    firsts.delete(keyOf(at));
    return (await first?.catch(() => null)) ?? null;
  }

  return {
    // Slack hides it after two minutes.
    fadesAfterMs: 60_000,

    async showFirst(place, asked, sent) {
      const at = targetOf(place, asked, AbortSignal.timeout(firstWithinMs));
      if (at === null || !waysOf(place.tenant).words) return;
      const first = setWords(at, firstWords, sent);
      firsts.set(keyOf(at), first);
      await first;
    },

    async hideFirst(place, asked) {
      const at = targetOf(place, asked, AbortSignal.timeout(firstWithinMs));
      if (at === null || !waysOf(place.tenant).words) return;
      await takeFirst(at);
      await setWords(at, '');
    },

    async show(place, { asked, activity, title = '' }, before, givenUp) {
      const at = targetOf(place, asked, givenUp);
      if (at === null) return undefined;
      const first = await takeFirst(at);
      const { words, sessions } = waysOf(place.tenant);
      const status = wordsFor(activity);
      const isShown = first !== null && status === firstWords;
      const agent = words && !isShown ? await setWords(at, status) : first;
      const running = Own.safeParse(before?.own).data?.session === true && before?.asked === asked;
      if (running || sessions === false) return { session: running };
      if (agent !== true && waysOf(place.tenant).words) return { session: false };
      return { session: await setSession(at, 'processing', cutShown(title, maxTitle)) };
    },

    async clear(place, { asked }, givenUp) {
      const at = targetOf(place, asked, givenUp);
      if (at === null) return;
      await takeFirst(at);
      // Slack clears it only for an answer in the thread.
      if (waysOf(place.tenant).words) await setWords(at, '');
    },

    async rest(place, shown, readState, givenUp) {
      const at = targetOf(place, shown?.asked ?? null, givenUp);
      const began = Own.safeParse(shown?.own).data?.session === true;
      if (at === null || !(began || waysOf(place.tenant).sessions === true)) return;
      const state = await readState();
      if (states.get(keyOf(at)) !== state) await setSession(at, state);
    },
  };
}

const action = 'show what is being planned';

const wordsFor = (activity: Activity): string => calm(`is ${describeActivity(activity)}…`);
const firstWords = wordsFor({ kind: 'thinking' });

/** Characters. */
const maxTitle = 200;

const keyOf = ({ team, channel_id, thread_ts }: Target) => `${team} ${channel_id} ${thread_ts}`;

type Target = { team: string; channel_id: string; thread_ts: string; givenUp: AbortSignal };

/** In direct messages, the request's thread. Null if unknown. */
function targetOf(
  { tenant: team, channel, thread }: ChatPlace,
  asked: string | null,
  givenUp: AbortSignal,
): Target | null {
  const thread_ts = thread ?? readMessageName(asked);
  return thread_ts === null ? null : { team, channel_id: channel, thread_ts, givenUp };
}
