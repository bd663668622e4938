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
  model: ModelConnection;
  /** Null without hosted MCP servers. */
  signIns: SignIns | null;
  service: Service;
  /** Stores a platform's event so it can be acknowledged. */
  receive: Receive;
  wait: WaitUntilHandled;
  chats: OpenChats;
  /** Stable; also repairs a broken place. @param timezone of a direct message's reader */
  openConversation(tx: Transaction, place: ChatPlace, timezone?: string | null): Promise<string>;
  /** Results of work that continues elsewhere. */
  answerCallback: AnswerCallback;
  identity: Identity;
  registry: ToolHost;
  catalogue: Catalogues;
  planner: Planner;
  db: Database;
  listener: Listener;
  database: string;
  /** Null if it takes no jobs. */
  vitals(): Vitals | null;
  linkTo: (planId: string) => string | null;
  /** Begins no step; resolves once no call runs. */
  drain(): Promise<void>;
  /** Ends or hands back work. */
  close(): Promise<void>;
};

export type Vitals = {
  /** 0 without leases. */
  leasesQuietMs: number;
  /** Milliseconds since the last heartbeat. */
  beatQuietMs: number;
  leaseMs: number;
};

export type InstanceOptions = {
  config: Config;
  log: Logger;
  /** `when_alone`: only without another worker. */
  work: boolean | 'when_alone';
  /** Already migrated by this process. */
  reopened?: boolean;
  /** For a stored model's key. */
  scrub?: Pick<Scrub, 'add'>;
  linkTo: (planId: string) => string | null;
  /** For chat cards; default: none. */
  chatLinkTo?: (planId: string) => string | null;
  /** Warnings for the operator, also logged. */
  onWarning?: (message: string) => void;
  planner?: Planner;
  /** Default 5,000. */
  recoverEveryMs?: number;
  extraOperations?: Operation[];
  /** Without one, a platform's events wait. */
  inboxHandlers?: InboxHandlers | undefined;
  inboxRule?: Partial<InboxRule> | undefined;
  /** Without one, a platform's messages wait. */
  chatPorts?: ChatPorts | undefined;
  deliveryRule?: Partial<DeliveryRule> | undefined;
};
