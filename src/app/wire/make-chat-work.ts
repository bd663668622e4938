// Builds inbox handlers and delivery ports.
import {
  type InboxContext,
  type InboxHandlers,
  type InboxRule,
  inboxRule,
} from '#chat/inbox/inbox-context.ts';
import {
  type ChatPorts,
  type DeliveryContext,
  type DeliveryRule,
  deliveryRule,
} from '#chat/outbox/delivery-context.ts';
import { type CardDrawing, drawForChat } from '#chat/outbox/draw-message.ts';
import { readCardFacts } from '#conversation/plan-card.ts';
import { readTurnCard } from '#conversation/session-past.ts';
import { readRun } from '#db/planning/runs.ts';
import { readPlan } from '#db/plans/plans.ts';
import { systemRandom } from '#domain/clock.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readAsked } from '#notices/asked.ts';
import { readZoneOfPlan, readZoneOfRun } from '#people/policy.ts';
import type { OpenChats } from './open-chats.ts';
import type { Connections } from './open-connections.ts';

export function partsOf<T>(
  chats: OpenChats,
  part: (chat: OpenChats[string]) => T | undefined,
): Record<PlatformName, T> {
  const parts: Record<PlatformName, T> = {};
  for (const [name, chat] of Object.entries(chats)) {
    const found = part(chat);
    if (found !== undefined) parts[name] = found;
  }
  return parts;
}

export function makeInbox(
  { db, enqueue, enqueueAll }: Connections,
  chats: OpenChats,
  options: {
    /** Added to the platforms', or replacing them. */
    handlers: InboxHandlers | undefined;
    rule: Partial<InboxRule> | undefined;
    warn(message: string, err?: unknown): void;
  },
): InboxContext {
  const { handlers, warn } = options;
  const rule = { ...inboxRule, ...options.rule };
  return {
    db,
    enqueue,
    enqueueAll,
    handlers: { ...partsOf(chats, ({ handle }) => handle), ...handlers },
    random: systemRandom,
    rule,
    warn,
  };
}

export function makeDelivery(
  inChat: ConversationContext,
  chats: OpenChats,
  options: {
    drawingOf(platform: PlatformName): CardDrawing;
    /** Added to the platforms', or replacing them. */
    ports: ChatPorts | undefined;
    rule: Partial<DeliveryRule> | undefined;
  },
): DeliveryContext {
  const { db, enqueue, timezone: instanceZone, warn } = inChat;
  const { drawingOf } = options;
  // Shared cards name people and the zone; a direct message has one reader.
  const shared = (zone: string | null) => ({ user: '', timezone: zone ?? instanceZone });
  return {
    db,
    enqueue,
    ports: { ...partsOf(chats, ({ port }) => port), ...options.ports },
    draw: (on, shown) => drawForChat(drawingOf(on), shown),
    readFacts: async (planId, timezone) => {
      if (timezone === null) {
        return readCardFacts(inChat, planId, shared(await readZoneOfPlan(db.query, planId)));
      }
      const { requester: user } = await readPlan(db.query, planId);
      return readCardFacts(inChat, planId, { user, timezone });
    },
    readSession: async (turn, timezone) => {
      if (timezone === null) {
        return readTurnCard(inChat, turn, shared(await readZoneOfRun(db.query, turn.run_id)));
      }
      const { user } = await readRun(db.query, turn.run_id);
      return readTurnCard(inChat, turn, { user, timezone });
    },
    readAsked: (message) => readAsked(inChat, message),
    random: systemRandom,
    rule: { ...deliveryRule, ...options.rule },
    warn,
  };
}
