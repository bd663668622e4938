// Builds the inbox handlers and delivery ports of the chat platforms that are open.
import type { SlackAdapter } from '#adapters/slack/open-slack.ts';
import type { TeamsAdapter } from '#adapters/teams/open-teams.ts';
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
import { drawForChat } from '#chat/outbox/draw-for-chat.ts';
import { readCardFacts } from '#conversation/plan-card.ts';
import { readTurnCard } from '#conversation/session-past.ts';
import { readRun } from '#db/planning/runs.ts';
import { readPlan } from '#db/plans/plans.ts';
import { systemRandom } from '#domain/clock.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readAsked } from '#notices/asked.ts';
import { readZoneOfPlan, readZoneOfRun } from '#people/zone.ts';
import type { Connections } from './open-connections.ts';

type Chats = { slack: SlackAdapter | null; teams: TeamsAdapter | null };

export function makeInbox(
  { db, enqueue, enqueueAll }: Connections,
  { slack, teams }: Chats,
  options: {
    /** Beside those of the platforms that are set up, or instead of them. */
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
    handlers: {
      ...(slack === null ? {} : { slack: slack.handle }),
      ...(teams === null ? {} : { teams: teams.handle }),
      ...handlers,
    },
    random: systemRandom,
    rule,
    warn,
  };
}

export function makeDelivery(
  inChat: ConversationContext,
  { slack, teams }: Chats,
  options: {
    /** Beside those of the platforms that are set up, or instead of them. */
    ports: ChatPorts | undefined;
    rule: Partial<DeliveryRule> | undefined;
  },
): DeliveryContext {
  const { db, enqueue, timezone: instanceZone, warn } = inChat;
  // A shared card speaks to nobody in particular: it says who is waited for by name. Times are in the requester's zone,
  // in whose zone its plan is agreed, and say so. In a direct message one person reads, and it is they who asked for what is planned there.
  const shared = (zone: string | null) => ({ user: '', timezone: zone ?? instanceZone });
  return {
    db,
    enqueue,
    ports: {
      ...(slack === null ? {} : { slack: slack.port }),
      ...(teams === null ? {} : { teams: teams.port }),
      ...options.ports,
    },
    draw: drawForChat,
    readFacts: async (planId, timezone) => {
      if (timezone === null) {
        return readCardFacts(inChat, planId, shared(await readZoneOfPlan(db.query, planId)));
      }
      const { requester: user } = await readPlan(db.query, planId);
      return readCardFacts(inChat, planId, { user, timezone });
    },
    readSession: async (said, timezone) => {
      if (timezone === null) {
        return readTurnCard(inChat, said, shared(await readZoneOfRun(db.query, said.run_id)));
      }
      const { user } = await readRun(db.query, said.run_id);
      return readTurnCard(inChat, said, { user, timezone });
    },
    readAsked: (message) => readAsked(inChat, message),
    random: systemRandom,
    rule: { ...deliveryRule, ...options.rule },
    warn,
  };
}
