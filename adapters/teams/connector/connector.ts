// The adapter's interface to Microsoft, so that botbuilder is replaceable.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';

export const Member = z.object({
  id: z.string(),
  name: z.string().nullish(),
  aadObjectId: z.string().nullish(),
  objectId: z.string().nullish(),
  email: z.string().nullish(),
  userPrincipalName: z.string().nullish(),
  tenantId: z.string().nullish(),
  userRole: z.string().nullish(),
});
export type Member = z.infer<typeof Member>;

/** The sender may name this address for answers. */
export type Vouches = (serviceUrl: string) => boolean;

/** Null if not from Teams. @throws if the keys are unavailable */
export type Authenticate = (request: FastifyRequest) => Promise<Vouches | null>;

type Where = Pick<TeamsConversation, 'service_url'>;
type At = { conversation: string; message: string };

/** A null `id` begins a stream; `sequence` counts from 1. */
export type StreamUpdate = { id: string | null; sequence: number; bot: string; text: string };

export type Channel = { id: string; name: string };

const label = z.string().nullish().catch(null);
const moment = z.string().pipe(z.coerce.date());
const Writer = z.object({ id: z.string(), displayName: label }).nullish().catch(null);

/** Without an ID or time, it is no message; all else may be missing. */
export const ChannelMessage = z.object({
  id: z.string(),
  messageType: label,
  createdDateTime: moment,
  lastEditedDateTime: moment.nullish().catch(null),
  deletedDateTime: label,
  from: z.object({ user: Writer, application: Writer }).nullish().catch(null),
  subject: label,
  body: z.object({ contentType: label, content: label }).nullish().catch(null),
  attachments: z.unknown().optional(),
});
export type ChannelMessage = z.infer<typeof ChannelMessage>;

/** Tried once, CountersignError on failure. @param givenUp not sent once aborted */
export type Calls = {
  /** @returns null if Teams gave no ID */
  post(
    where: Where,
    conversation: string,
    activity: object,
    givenUp?: AbortSignal,
  ): Promise<string | null>;
  update(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  remove(where: Where, at: At, givenUp?: AbortSignal): Promise<void>;
  /** @returns the stream's ID, kept by the final message */
  stream(
    where: Where,
    conversation: string,
    update: StreamUpdate,
    givenUp?: AbortSignal,
  ): Promise<string>;
  endStream(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  /** @returns the chat's ID */
  openChat(
    where: Where & Pick<TeamsConversation, 'bot' | 'tenant'>,
    person: string,
  ): Promise<string>;
  member(where: Where, conversation: string, person: string): Promise<Member>;
  /** The ID in Microsoft Graph, or null. */
  groupOf(where: Where, team: string): Promise<string | null>;
  channels(where: Where, team: string): Promise<Channel[]>;
  /** Newest first, with the post. Needs the team's consent. */
  replies(
    at: { tenant: string; group: string; channel: string; post: string },
    limit: number,
  ): Promise<{ post: ChannelMessage; replies: ChannelMessage[]; more: boolean }>;
  /** Newest first. Needs the chat's consent. */
  newest(at: {
    tenant: string;
    chat: string;
  }): Promise<{ messages: ChannelMessage[]; more: boolean }>;
  /** From when on every member sees the chat's messages. Needs the chat's consent. */
  visibleSince(at: { tenant: string; chat: string }): Promise<Date>;
  members(where: Where, conversation: string, limit: number): Promise<Member[]>;
};

export type Connector = Calls & { authenticate: Authenticate };

/** The stream ended, was stopped, or is unsupported. */
export const streamRefused = 'ContentStreamNotAllowed';
