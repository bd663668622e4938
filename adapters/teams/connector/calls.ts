// Bot Connector calls without retries, which botbuilder makes even if unsafe.
import { z } from 'zod';
import { readText } from '#domain/bounded-body.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { CountersignError } from '#domain/errors.ts';
import { finishWithin } from '../finish-within.ts';
import type { Graph, Tokens } from './cloud.ts';
import { type Calls, ChannelMessage, Member } from './connector.ts';
import { ConnectorRefusal, explainSignIn, explainTeamsError } from './explain-error.ts';

const Posted = z.object({ id: z.string().min(1) });
const Members = z.object({ members: z.array(Member), continuationToken: z.string().nullish() });

const Team = z.object({ aadGroupId: z.string().nullish() });
const Channels = z.object({
  conversations: z.array(z.object({ id: z.string(), name: z.string().nullish() })),
});
const Listed = z.object({
  value: z
    .array(ChannelMessage.nullable().catch(null))
    .transform((all) => all.filter((one) => one !== null)),
  '@odata.nextLink': z.string().nullish(),
});
/** Per list; pages may be empty. */
const maxPages = 20;

/** https://learn.microsoft.com/graph/api/chat-list-members */
const Memberships = z.object({
  value: z.array(z.object({ visibleHistoryStartDateTime: z.coerce.date().nullish() })),
  '@odata.nextLink': z.string().nullish(),
});

const Refused = z.object({
  error: z.object({ code: z.string().default(''), message: z.string().default('') }),
});

/** A call counts as lost after this. */
const callWithinMs = 10_000;
/** Limit for Microsoft's sign-in. */
const signInWithinMs = 5000;

const elsewhere =
  'What is kept of this conversation in Teams is an address to which the bot shows no token. Write to the app there once.';

type Where = Pick<TeamsConversation, 'service_url'>;

type Request = {
  method: string;
  body: object | null;
  /** Not sent once aborted. */
  givenUp?: AbortSignal | undefined;
};

export function createCalls(options: {
  tokens: Tokens;
  graph: Graph;
  /** Our token may be sent there. */
  answerable(serviceUrl: string): boolean;
  now(): Date;
}): Calls {
  const { tokens, graph, answerable, now } = options;

  async function send(
    url: string,
    { method, body, givenUp }: Request,
    fresh: boolean,
    signIn = tokens,
  ) {
    const late = () => new Error(`it did not answer within ${signInWithinMs} ms`);
    const token = await finishWithin(signInWithinMs, signIn(fresh), late).catch(
      (error: unknown) => {
        throw explainSignIn(error);
      },
    );
    // Once sent, only the response tells.
    givenUp?.throwIfAborted();
    return fetch(url, {
      method,
      redirect: 'error',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callWithinMs),
    });
  }

  async function call(
    { service_url }: Where,
    path: string,
    { action, ...request }: Request & { action: string },
  ): Promise<unknown> {
    // Addresses stored with other settings may lead anywhere.
    if (!answerable(service_url)) throw new CountersignError('not_allowed', elsewhere);
    return callAt(`${service_url.replace(/\/$/, '')}/v3${path}`, { action, ...request }, tokens);
  }

  async function callAt(
    url: string,
    { action, ...request }: Request & { action: string },
    signIn: Tokens,
  ): Promise<unknown> {
    try {
      let response = await send(url, request, false, signIn);
      // The cached token may be revoked.
      if (response.status === 401) response = await send(url, request, true, signIn);
      if (!response.ok) throw refusalOf(response, await readText(response, longestAnswer));
      // Succeeded, so an unreadable response must not repeat it.
      return request.method === 'GET'
        ? readJson(await readText(response, longestAnswer))
        : await readAnswer(response);
    } catch (error) {
      throw explainTeamsError(error, action, now());
    }
  }

  const partsOf = (...parts: string[]) =>
    parts.map((part) => `/${encodeURIComponent(part)}`).join('');
  const pathOf = (...parts: string[]) => partsOf('conversations', ...parts);

  async function look(tenant: string, path: string): Promise<unknown> {
    const action = 'read the thread';
    const url = path.startsWith('https:') || path.startsWith(graph.url) ? path : graph.url + path;
    // Next pages must stay on Graph.
    if (!url.startsWith(`${graph.url}/`))
      throw new CountersignError('internal', 'Microsoft Graph named a foreign address.');
    const signIn: Tokens = (fresh) => graph.token(tenant, fresh);
    return callAt(url, { method: 'GET', body: null, action }, signIn);
  }

  return {
    async post(where, conversation, activity, givenUp) {
      const path = `${pathOf(conversation)}/activities`;
      const answer = await call(where, path, {
        method: 'POST',
        body: activity,
        action: 'post a message',
        givenUp,
      });
      const posted = Posted.safeParse(answer);
      return posted.success ? posted.data.id : null;
    },
    async update(where, { conversation, message }, activity, givenUp) {
      const path = `${pathOf(conversation)}/activities${partsOf(message)}`;
      const action = 'change a message';
      await call(where, path, { method: 'PUT', body: activity, action, givenUp });
    },
    async remove(where, { conversation, message }, givenUp) {
      const path = `${pathOf(conversation)}/activities${partsOf(message)}`;
      const action = 'remove a message';
      await call(where, path, { method: 'DELETE', body: null, action, givenUp });
    },
    async stream(where, conversation, { id, sequence, bot, text }, givenUp) {
      const info = { type: 'streaminfo', streamType: 'informative', streamSequence: sequence };
      const activity = {
        type: 'typing',
        from: { id: bot },
        text,
        entities: [id === null ? info : { ...info, streamId: id }],
      };
      const path = `${pathOf(conversation)}/activities`;
      const action = 'show what is being done';
      const answer = await call(where, path, { method: 'POST', body: activity, action, givenUp });
      return id ?? readAs(Posted, answer, action).id;
    },
    async endStream(where, { conversation, message }, activity, givenUp) {
      const end = { type: 'streaminfo', streamId: message, streamType: 'final' };
      const body = { ...activity, id: message, entities: [...entitiesOf(activity), end] };
      const path = `${pathOf(conversation)}/activities`;
      await call(where, path, { method: 'POST', body, action: 'post a message', givenUp });
    },
    async openChat({ bot, tenant, ...where }, person) {
      const answer = await call(where, pathOf(), {
        method: 'POST',
        body: {
          isGroup: false,
          bot: { id: bot },
          members: [{ id: person }],
          tenantId: tenant,
          channelData: { tenant: { id: tenant } },
        },
        action: 'open a chat',
      });
      return readAs(Posted, answer, 'open a chat').id;
    },
    async groupOf(where, team) {
      const action = 'name a team';
      const path = partsOf('teams', team);
      const answer = await call(where, path, { method: 'GET', body: null, action });
      return readAs(Team, answer, action).aadGroupId ?? null;
    },
    async channels(where, team) {
      const action = 'list channels';
      const path = `${partsOf('teams', team)}/conversations`;
      const answer = await call(where, path, { method: 'GET', body: null, action });
      const { conversations } = readAs(Channels, answer, action);
      // The first channel has no name of its own.
      return conversations.map(({ id, name }) => ({ id, name: name ?? 'General' }));
    },
    async replies({ tenant, group, channel, post }, limit) {
      const action = 'read the thread';
      const path = `/v1.0${partsOf('teams', group, 'channels', channel, 'messages', post)}`;
      const replies: ChannelMessage[] = [];
      let next: string | null = `${path}/replies?$top=50`;
      for (let page = 0; page < maxPages && next !== null && replies.length < limit; page++) {
        const read: z.infer<typeof Listed> = readAs(Listed, await look(tenant, next), action);
        replies.push(...read.value);
        next = read['@odata.nextLink'] ?? null;
      }
      const first = readAs(ChannelMessage, await look(tenant, path), action);
      return { post: first, replies, more: next !== null };
    },
    async newest({ tenant, chat }) {
      const path = `/v1.0${partsOf('chats', chat, 'messages')}?$top=50&$orderby=createdDateTime%20desc`;
      const page = readAs(Listed, await look(tenant, path), 'read the chat');
      return { messages: page.value, more: page['@odata.nextLink'] != null };
    },
    async visibleSince({ tenant, chat }) {
      let since = new Date(0);
      let next: string | null = `/v1.0${partsOf('chats', chat, 'members')}`;
      for (let page = 0; page < maxPages && next !== null; page++) {
        const answer = await look(tenant, next);
        const read: z.infer<typeof Memberships> = readAs(Memberships, answer, 'read the members');
        for (const { visibleHistoryStartDateTime: shown } of read.value)
          if (shown != null && shown > since) since = shown;
        next = read['@odata.nextLink'] ?? null;
      }
      if (next === null) return since;
      throw new CountersignError('limit_exceeded', 'The chat has too many members to list.');
    },
    async member(where, conversation, person) {
      const path = `${pathOf(conversation)}/members${partsOf(person)}`;
      const action = 'look up a person';
      return readAs(Member, await call(where, path, { method: 'GET', body: null, action }), action);
    },
    async members(where, conversation, limit) {
      const found: Member[] = [];
      let token: string | null = null;
      do {
        const query: string =
          token === null ? '' : `&continuationToken=${encodeURIComponent(token)}`;
        const path = `${pathOf(conversation)}/pagedmembers?pageSize=100${query}`;
        const action = 'say who is there';
        const answer = await call(where, path, { method: 'GET', body: null, action });
        const page = readAs(Members, answer, action);
        found.push(...page.members);
        token = page.continuationToken ?? null;
      } while (token !== null && found.length < limit);
      return found.slice(0, limit);
    },
  };
}

/** Mentions. */
function entitiesOf(activity: object): unknown[] {
  return 'entities' in activity && Array.isArray(activity.entities) ? activity.entities : [];
}

/** Bytes; the largest are pages of members. */
const longestAnswer = 4_000_000;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's answer, or empty; callers check fields.
    return null;
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  try {
    return readJson(await readText(response, longestAnswer));
  } catch {
    // The connection broke after the status.
    return null;
  }
}

/** @throws CountersignError, permanent */
function readAs<T>(schema: z.ZodType<T>, answer: unknown, action: string): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const text = `Teams was asked to ${action}, and its answer is of an unknown form.`;
  throw new CountersignError('internal', text, { cause: read.error });
}

function refusalOf(response: Response, text: string): ConnectorRefusal {
  const retryAfter = response.headers.get('retry-after');
  try {
    const { error } = Refused.parse(JSON.parse(text));
    return new ConnectorRefusal(response.status, { ...error, retryAfter });
  } catch {
    // From a proxy, or empty; the status is enough.
    return new ConnectorRefusal(response.status, { code: '', message: '', retryAfter });
  }
}
