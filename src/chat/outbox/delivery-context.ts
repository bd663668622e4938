// Dependencies of delivery.
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
  /** The card below the text, as the next one. */
  facts: PlanCardFacts | null;
  session: SessionCardFacts | null;
  asked?: Asked | null;
  superseded: boolean;
};

/** Deterministic. */
export type DrawMessage = (platform: PlatformName, shown: VisibleMessage) => ChatContent;

export type DeliveryContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  ports: ChatPorts;
  draw: DrawMessage;
  /** `timezone`: null for the requester's. */
  readFacts(planId: string, timezone: string | null): Promise<PlanCardFacts>;
  /** Null if nothing was kept. */
  readSession(turn: TurnMessage, timezone: string | null): Promise<SessionCardFacts | null>;
  readAsked(message: Asker): Promise<Asked | null>;
  random: Random;
  rule: DeliveryRule;
  warn(message: string, error?: unknown): void;
};

/** As in the inbox; a place failing for `maxWaitMs` is broken. */
export type DeliveryRule = RetryRule & {
  /** Well above `callWithinMs`. */
  leaseSeconds: number;
  /** Per platform call. */
  callWithinMs: number;
  /** Earlier changes may still land until then. */
  redrawAfterMs: number;
  /** After this, a failing message goes without its card. */
  bareAfterMs: number;
  /** Between changes of a card. */
  paceMs: number;
};

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
