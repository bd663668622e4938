// What delivery depends on: one port per platform that the process serves, and functions that draw what is sent.
import type { TurnSaid } from '#conversation/session-past.ts';
import type { Database, Transaction } from '#db/database.ts';
import type { Asked } from '#domain/chat/asked.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent, ChatPort } from '#domain/chat/chat.ts';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import type { Random } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { Asker } from '#notices/asked.ts';
import type { RetryRule } from '../inbox/retry.ts';

export type ChatPorts = Record<PlatformName, ChatPort>;

/** What is to be seen of a message. */
export type Said = {
  text: string;
  parts: MessageParts | null;
  /** Of the plan whose card stands under the text. */
  facts: PlanCardFacts | null;
  /** Of the planning session whose card stands under the text. */
  session: SessionCardFacts | null;
  /** The people it asks; null or left out: none who have to be told. */
  asked?: Asked | null;
  /** A newer card of the plan stands below: this one only says so. */
  superseded: boolean;
};

/** Draws a message as a platform takes it, within its limits. The same message gives the same content. */
export type DrawSaid = (platform: PlatformName, said: Said) => ChatContent;

export type DeliveryContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  ports: ChatPorts;
  draw: DrawSaid;
  /** The facts of a plan as somebody sees them who is nobody in particular; `timezone` null: the requester's. */
  readFacts(planId: string, timezone: string | null): Promise<PlanCardFacts>;
  /** The same of a planning session at the end of a turn; null: nothing of it was kept. */
  readSession(said: TurnSaid, timezone: string | null): Promise<SessionCardFacts | null>;
  /** The people a message asks now. */
  readAsked(message: Asker): Promise<Asked | null>;
  random: Random;
  rule: DeliveryRule;
  warn(message: string, error?: unknown): void;
};

/** `tries` and waits as the inbox has them; a place that took nothing for `patienceMs` is broken. */
export type DeliveryRule = RetryRule & {
  /** A place whose holder has not been heard of for this long is given to another; well above `callWithinMs`. */
  leaseSeconds: number;
  /** What the platform may take for one answer. */
  callWithinMs: number;
  /** A card that was drawn while an earlier change of it may still land is drawn once more after so long. */
  redrawAfterMs: number;
  /** A message that the platform has not taken for so long is posted without its card, which follows it. */
  bareAfterMs: number;
  /** A card is changed at most once in so long (milliseconds). */
  paceMs: number;
};

/** How a program delivers. */
export const deliveryRule: DeliveryRule = {
  tries: 5,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  patienceMs: 24 * 3_600_000,
  leaseSeconds: 40,
  callWithinMs: 15_000,
  redrawAfterMs: 60_000,
  bareAfterMs: 10 * 60_000,
  paceMs: 1000,
};
