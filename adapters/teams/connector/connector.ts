// The Teams adapter's interface to Microsoft: authentication of requests, and the calls that write to Teams. The rest of the
// adapter imports only this file, so another library (the Teams SDK) can replace botbuilder.
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

/** Whether the authenticated sender may name this address for answers. */
export type Vouches = (serviceUrl: string) => boolean;

/** Null if it is not from Teams. @throws if the keys are unavailable, so that the check can't be made */
export type Authenticate = (request: FastifyRequest) => Promise<Vouches | null>;

type Where = Pick<TeamsConversation, 'service_url'>;
type At = { conversation: string; message: string };

/** An update of a stream: a null `id` begins it; `sequence` counts from 1. */
export type StreamUpdate = { id: string | null; sequence: number; bot: string; text: string };

export type Channel = { id: string; name: string };

/** A message of a channel or chat in Microsoft Graph. */
export const ChannelMessage = z.object({
  id: z.string(),
  messageType: z.string().nullish(),
  createdDateTime: z.string(),
  lastEditedDateTime: z.string().nullish(),
  deletedDateTime: z.string().nullish(),
  from: z
    .object({
      user: z.object({ id: z.string(), displayName: z.string().nullish() }).nullish(),
      application: z.object({ id: z.string(), displayName: z.string().nullish() }).nullish(),
    })
    .nullish(),
  subject: z.string().nullish(),
  body: z.object({ contentType: z.string(), content: z.string().nullish() }),
  attachments: z.unknown(),
});
export type ChannelMessage = z.infer<typeof ChannelMessage>;

/**
 * Calls are tried once and throw CountersignError: the caller knows whether a retry is safe.
 * @param givenUp the message is not sent once aborted
 */
export type Calls = {
  /** @returns the message's ID, or null if Teams posted it without giving one */
  post(
    where: Where,
    conversation: string,
    activity: object,
    givenUp?: AbortSignal,
  ): Promise<string | null>;
  update(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  remove(where: Where, at: At, givenUp?: AbortSignal): Promise<void>;
  /** Shows the bot's activity in a personal chat. @returns the stream's ID, which the final message keeps */
  stream(
    where: Where,
    conversation: string,
    update: StreamUpdate,
    givenUp?: AbortSignal,
  ): Promise<string>;
  endStream(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  /** Opens or finds the bot's chat with one person. @returns its ID */
  openChat(
    where: Where & Pick<TeamsConversation, 'bot' | 'tenant'>,
    person: string,
  ): Promise<string>;
  member(where: Where, conversation: string, person: string): Promise<Member>;
  /** A team's group, by which Microsoft Graph knows it, or null. */
  groupOf(where: Where, team: string): Promise<string | null>;
  channels(where: Where, team: string): Promise<Channel[]>;
  /** A post and its replies, newest first, and whether there are more than `limit`. Needs a consent of the team. */
  replies(
    at: { tenant: string; group: string; channel: string; post: string },
    limit: number,
  ): Promise<{ post: ChannelMessage; replies: ChannelMessage[]; more: boolean }>;
  /** The newest messages of a chat, newest first, and whether there are more. Needs a consent of the chat. */
  newest(at: {
    tenant: string;
    chat: string;
  }): Promise<{ messages: ChannelMessage[]; more: boolean }>;
  /** The first members, at most `limit`. */
  members(where: Where, conversation: string, limit: number): Promise<Member[]>;
};

export type Connector = Calls & { authenticate: Authenticate };

/** Teams accepts no more updates: the stream has ended, its reader stopped it, or streams are unsupported here. */
export const streamRefused = 'ContentStreamNotAllowed';
