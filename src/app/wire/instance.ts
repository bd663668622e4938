// The parts of one process, and its options.
import type { Logger } from 'pino';
import type { InboxHandlers, InboxRule } from '#chat/inbox/inbox-context.ts';
import type { Receive } from '#chat/inbox/receive.ts';
import type { WaitUntilHandled } from '#chat/inbox/wait-until-handled.ts';
import type { ChatPorts, DeliveryRule } from '#chat/outbox/delivery-context.ts';
import type { Database, Transaction } from '#db/database.ts';
import type { Listener } from '#db/notify.ts';
import type { AnswerCallback } from '#domain/callback.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { Service } from '#domain/service.ts';
import type { Catalogues, Operation, ToolHost } from '#domain/tool.ts';
import type { SignIns } from '#domain/tool-sign-in.ts';
import type { Identity } from '#people/identity.ts';
import type { Config } from '../config.ts';
import type { Scrub } from '../secrets.ts';
import type { OpenChats } from './open-chats.ts';
import type { ModelConnection } from './open-model-access.ts';

export type Instance = {
  /** How the model is reached. */
  model: ModelConnection;
  /** Sign-in at hosted MCP servers, or null if there are none. */
  signIns: SignIns | null;
  service: Service;
  /** Stores a chat platform's event so that it can be acknowledged. */
  receive: Receive;
  /** Waits for a stored event's outcome in any process. */
  wait: WaitUntilHandled;
  chats: OpenChats;
  /**
   * The conversation of a chat place, stable; an event from there also repairs a broken place.
   * @param timezone of the reader, in a direct message
   */
  openConversation(tx: Transaction, place: ChatPlace, timezone?: string | null): Promise<string>;
  /** Accepts results of work that continues elsewhere. */
  answerCallback: AnswerCallback;
  /** Sign-in and personal tokens. */
  identity: Identity;
  registry: ToolHost;
  catalogue: Catalogues;
  planner: Planner;
  db: Database;
  listener: Listener;
  /** The database's location, in words. */
  database: string;
  /** The worker's vital signs, or null if it takes no jobs. */
  vitals(): Vitals | null;
  /** A plan's URL, as far as this process knows. */
  linkTo: (planId: string) => string | null;
  /** Begins no further step, and resolves once no call runs. */
  drain(): Promise<void>;
  /** Ends or hands back work, and closes connections. */
  close(): Promise<void>;
};

/** A worker's vital signs: milliseconds since its recurring activities. */
export type Vitals = {
  /** Since leases were renewed; 0 if none are held. */
  leasesQuietMs: number;
  /** Since the last heartbeat. */
  beatQuietMs: number;
  /** Lease length in milliseconds. */
  leaseMs: number;
};

export type InstanceOptions = {
  config: Config;
  log: Logger;
  /** Takes jobs: planners, executors, reminders; `when_alone`: only if no other process does. */
  work: boolean | 'when_alone';
  /** Takes the database as it is, since this process has migrated it before. */
  reopened?: boolean;
  /** Learns the key of a stored model. */
  scrub?: Pick<Scrub, 'add'>;
  linkTo: (planId: string) => string | null;
  /** The same for chat cards; default: no links. */
  chatLinkTo?: (planId: string) => string | null;
  /** Called with warnings for the operator, which are also logged. */
  onWarning?: (message: string) => void;
  /** Replaces the configured planner. */
  planner?: Planner;
  /** Milliseconds between recovery rounds; default 5,000. */
  recoverEveryMs?: number;
  /** Additional built-in operations of this process, such as the bench's. */
  extraOperations?: Operation[];
  /** Handlers of chat events and their retry policy; without one, a platform's events wait. */
  inboxHandlers?: InboxHandlers | undefined;
  inboxRule?: Partial<InboxRule> | undefined;
  /** Writers to chat platforms and their retry policy; without one, a platform's messages wait. */
  chatPorts?: ChatPorts | undefined;
  deliveryRule?: Partial<DeliveryRule> | undefined;
};
