// What the Teams adapter needs of Microsoft: who sends a request, and the few calls that write to Teams. This is the seam at which
// another library (the Teams SDK) can take the place of botbuilder: the rest of the adapter knows only this file.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';

/** Somebody in a conversation, as Teams describes them. */
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

/** Whether the sender of a request may say that answers go to an address. */
export type Vouches = (serviceUrl: string) => boolean;

/** null: it is not Teams. @throws when the keys cannot be had now; then nobody knows */
export type Authenticate = (request: FastifyRequest) => Promise<Vouches | null>;

type Where = Pick<TeamsConversation, 'service_url'>;
type At = { conversation: string; message: string };

/** One update of a stream: `id` null begins it; `sequence` counts from 1. */
export type StreamUpdate = { id: string | null; sequence: number; bot: string; text: string };

/**
 * Each call is tried once, and throws CountersignError: the caller knows whether trying again is safe.
 * @param givenUp the message is not sent after that
 */
export type Calls = {
  /** @returns the message's id; null: it was posted, and Teams gave no id */
  post(
    where: Where,
    conversation: string,
    activity: object,
    givenUp?: AbortSignal,
  ): Promise<string | null>;
  update(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  remove(where: Where, at: At, givenUp?: AbortSignal): Promise<void>;
  /** Says what the bot is doing, in a chat with one person. @returns the stream's id, which is that of the message it ends as */
  stream(
    where: Where,
    conversation: string,
    update: StreamUpdate,
    givenUp?: AbortSignal,
  ): Promise<string>;
  /** Ends a stream with the message `activity`. */
  endStream(where: Where, at: At, activity: object, givenUp?: AbortSignal): Promise<void>;
  /** Opens the chat of the bot with one person, or finds it. @returns its id */
  openChat(
    where: Where & Pick<TeamsConversation, 'bot' | 'tenant'>,
    person: string,
  ): Promise<string>;
  member(where: Where, conversation: string, person: string): Promise<Member>;
  /** The first members, at most `limit`. */
  members(where: Where, conversation: string, limit: number): Promise<Member[]>;
};

export type Connector = Calls & { authenticate: Authenticate };

/** Teams takes nothing more of this stream: it is over, it was stopped by its reader, or there are no streams here. */
export const streamRefused = 'ContentStreamNotAllowed';
