// Dependencies of delivery: one port per platform served, and functions that draw messages.
import type { TurnMessage } from '#conversation/session-past.ts';
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

export type VisibleMessage = {
  text: string;
  parts: MessageParts | null;
  /** The plan of the card below the text. */
  facts: PlanCardFacts | null;
  /** The planning session of the card below the text. */
  session: SessionCardFacts | null;
  /** The people it asks, if they need to be notified. */
  asked?: Asked | null;
  /** A newer card exists below; this one only says so. */
  superseded: boolean;
};

/** Draws a message within a platform's limits. Deterministic. */
export type DrawMessage = (platform: PlatformName, shown: VisibleMessage) => ChatContent;

export type DeliveryContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  ports: ChatPorts;
  draw: DrawMessage;
  /** Facts for a neutral reader; `timezone` null means the requester's. */
  readFacts(planId: string, timezone: string | null): Promise<PlanCardFacts>;
  /** The same for a session at the end of a turn, or null if nothing was kept. */
  readSession(turn: TurnMessage, timezone: string | null): Promise<SessionCardFacts | null>;
  /** The people a message asks now. */
  readAsked(message: Asker): Promise<Asked | null>;
  random: Random;
  rule: DeliveryRule;
  warn(message: string, error?: unknown): void;
};

/** `tries` and waits as in the inbox; a place failing for `maxWaitMs` is broken. */
export type DeliveryRule = RetryRule & {
  /** Seconds after which a silent holder's place is given to another; well above `callWithinMs`. */
  leaseSeconds: number;
  /** Timeout of one platform call. */
  callWithinMs: number;
  /** Milliseconds after which a card is redrawn because an earlier change may still land. */
  redrawAfterMs: number;
  /** Milliseconds after which a failing message is posted without its card, which follows later. */
  bareAfterMs: number;
  /** Minimum milliseconds between changes of a card. */
  paceMs: number;
};

/** The program's settings. */
export const deliveryRule: DeliveryRule = {
  tries: 5,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  maxWaitMs: 24 * 3_600_000,
  leaseSeconds: 40,
  callWithinMs: 15_000,
  redrawAfterMs: 60_000,
  bareAfterMs: 10 * 60_000,
  paceMs: 1000,
};
