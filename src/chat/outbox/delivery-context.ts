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
  /** Card below the text. */
  facts: PlanCardFacts | null;
  /** Card below the text. */
  session: SessionCardFacts | null;
  /** If they need to be notified. */
  asked?: Asked | null;
  /** A newer card exists below. */
  superseded: boolean;
};

/** Within the platform's limits. Deterministic. */
export type DrawMessage = (platform: PlatformName, shown: VisibleMessage) => ChatContent;

export type DeliveryContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  ports: ChatPorts;
  draw: DrawMessage;
  /** For a neutral reader; `timezone`: null for the requester's. */
  readFacts(planId: string, timezone: string | null): Promise<PlanCardFacts>;
  /** At the end of a turn; null if nothing was kept. */
  readSession(turn: TurnMessage, timezone: string | null): Promise<SessionCardFacts | null>;
  readAsked(message: Asker): Promise<Asked | null>;
  random: Random;
  rule: DeliveryRule;
  warn(message: string, error?: unknown): void;
};

/** As in the inbox; a place failing for `maxWaitMs` is broken. */
export type DeliveryRule = RetryRule & {
  /** Then a silent holder's place is given away; well above `callWithinMs`. */
  leaseSeconds: number;
  /** Per platform call. */
  callWithinMs: number;
  /** An earlier change may still land until then. */
  redrawAfterMs: number;
  /** Then a failing message is posted first, its card later. */
  bareAfterMs: number;
  /** Between changes of a card. */
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
