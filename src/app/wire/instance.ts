// The parts of one process, and the options it can be opened with.
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
import type { OpenChats } from './open-chats.ts';

export type Instance = {
  /** Signing in at hosted MCP servers; null: there is none. */
  signIns: SignIns | null;
  service: Service;
  /** Stores what a chat platform sends, so that it may be acknowledged. */
  receive: Receive;
  /** Waits for the outcome of a stored event, in any process. */
  wait: WaitUntilHandled;
  chats: OpenChats;
  /**
   * The conversation at a place of a chat platform, always the same one; an event that came from there mends a broken place.
   * @param timezone of the one who reads there, in a direct message
   */
  openConversation(tx: Transaction, place: ChatPlace, timezone?: string | null): Promise<string>;
  /** Takes results of work that goes on elsewhere. */
  answerCallback: AnswerCallback;
  /** Who signs in, and personal tokens. */
  identity: Identity;
  registry: ToolHost;
  catalogue: Catalogues;
  planner: Planner;
  db: Database;
  listener: Listener;
  /** Where the database is, in words. */
  database: string;
  /** How its work goes; null: it takes no jobs. */
  vitals(): Vitals | null;
  /** Where a person reads a plan, as far as this process knows. */
  linkTo: (planId: string) => string | null;
  /** Ends what is under way, hands back the rest, closes connections. */
  close(): Promise<void>;
};

/** What a worker says of itself: milliseconds since it last did what it does over and over. */
export type Vitals = {
  /** Renewed the leases it holds; 0: it holds none. */
  leasesQuietMs: number;
  /** Told others that it is there. */
  beatQuietMs: number;
  /** How long a lease is (milliseconds). */
  leaseMs: number;
};

export type InstanceOptions = {
  config: Config;
  log: Logger;
  /** Takes jobs: planners, executors, reminders; `when_alone`: only if no other process does. */
  work: boolean | 'when_alone';
  linkTo: (planId: string) => string | null;
  /** The same for cards in a chat; left out: they have no links. */
  chatLinkTo?: (planId: string) => string | null;
  /** Told of what an operator should know; it is logged as well. */
  onWarning?: (message: string) => void;
  /** Instead of the one the configuration asks for. */
  planner?: Planner;
  /** Milliseconds between two rounds of recovery; default 5,000. */
  recoverEveryMs?: number;
  /** Built-in operations of this process alone, which no configuration can offer; the bench brings one. */
  extraOperations?: Operation[];
  /** What handles the events of chat platforms, and how it is tried; those of a platform without one wait. */
  inboxHandlers?: InboxHandlers | undefined;
  inboxRule?: Partial<InboxRule> | undefined;
  /** What writes to chat platforms, and how it is tried; what is said on those without one waits. */
  chatPorts?: ChatPorts | undefined;
  deliveryRule?: Partial<DeliveryRule> | undefined;
};
