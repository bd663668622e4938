// A chat platform as one record; `app/platforms.ts` lists them.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Database, Transaction } from '#db/database.ts';
import type { ChatHomes, ChatPlace, ChatPort, RateLimits } from '#domain/chat/chat.ts';
import type { FindPlace } from '#domain/chat/find-place.ts';
import type { FetchFile, ReadMessages } from '#domain/chat/thread.ts';
import type { Clock } from '#domain/clock.ts';
import type { Environment } from '#domain/environment.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { UserGroupReader } from '#domain/people/user-groups.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { PlanReads, Service } from '#domain/service.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import type { JsonObject } from '#domain/text.ts';
import type { InboxHandler } from './inbox/inbox-context.ts';
import type { Receive } from './inbox/receive.ts';
import type { WaitUntilHandled } from './inbox/wait-until-handled.ts';
import type { CardDrawing } from './outbox/draw-message.ts';
import type { SealedFiles } from './sealed-files.ts';

export type Platform = {
  name: PlatformName;
  title: string;
  guide: string;
  /** Besides the common ones. */
  variables: z.ZodObject;
  drawing: CardDrawing;
  /** @returns null if not configured @throws `invalid_configuration` */
  configure(set: Variables, env: Environment): PlatformSetup | null;
};

export type Variables = Record<string, string | undefined>;

/** Before its libraries are loaded. */
export type PlatformSetup = {
  /** Several isolated organisations use it. */
  shared: boolean;
  /** For the terminal. */
  reached: string;
  /** For the console's settings, without secrets. */
  facts: JsonObject;
  open(parts: PlatformParts): Promise<OpenPlatform>;
  /** @throws CountersignError with advice for the operator */
  check(warn: (message: string) => void): Promise<Omit<CheckResult, 'part'>>;
  /** When `check` throws. */
  advice: string;
};

export type OpenPlatform = {
  handle: InboxHandler;
  port: ChatPort;
  /** If it has Home tabs. */
  homes?: ChatHomes;
  userGroups?: UserGroupReader;
  /** If messages can have files. */
  fetchFile?: FetchFile;
  /** If plans may post elsewhere. */
  findPlace?: FindPlace;
  /** If it has threads not delivered whole. */
  readThread?: ReadMessages;
  /** A route, or a connection once `app` listens. */
  receive(app: FastifyInstance, inbox: { receive: Receive; wait: WaitUntilHandled }): Promise<void>;
  /** One per installed organisation. */
  checkInstalled?(): Promise<CheckResult[]>;
};

export type ChatContext = {
  service: Service;
  /** Outside their conversations (lists, Home). */
  plansFor(tenant: string, reader: string): PlanReads;
  /** @param timezone of its only reader @returns the conversation's name */
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  openHome(home: { tenant: string; user: string }): Promise<void>;
  renewGroups(team: string, heardAt: Date): Promise<void>;
  /** One person's. */
  everyNameOf(name: string): Promise<string[]>;
  /** With every plan's approvers. */
  namesOf(names: readonly string[]): Promise<string[]>;
  clock: Clock;
  /** Without one, greetings say how to connect one. */
  hasModel: boolean;
  /** If unknown. */
  timezone: string;
  warn(message: string, error?: unknown): void;
};

export type PlatformParts = ChatContext & {
  limits: RateLimits;
  store: {
    db: Database;
    enqueue: Enqueue<Transaction>;
    enqueueAll: EnqueueAll<Transaction>;
  };
  sealedFiles: SealedFiles;
};

export function definePlatform<V extends z.ZodObject>({
  read,
  ...platform
}: Omit<Platform, 'variables' | 'configure'> & {
  variables: V;
  read(env: Environment & z.infer<V>): PlatformSetup | null;
}): Platform {
  return {
    ...platform,
    configure: (set, env) => read({ ...env, ...platform.variables.parse(set) }),
  };
}
