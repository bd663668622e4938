// A chat platform as one record. `app/platforms.ts` lists them; the rest is in the platform's adapter folder.
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
  /** The setup guide. */
  guide: string;
  /** Its environment variables, besides the common ones. */
  variables: z.ZodObject;
  drawing: CardDrawing;
  /**
   * @param set the environment
   * @returns null if it isn't configured
   * @throws CountersignError `invalid_configuration`
   */
  configure(set: Variables, env: Environment): PlatformSetup | null;
};

export type Variables = Record<string, string | undefined>;

/** A configured platform; its libraries are not loaded yet. */
export type PlatformSetup = {
  /** Several organisations use it, isolated from each other. */
  shared: boolean;
  /** How to reach it, for the terminal. */
  reached: string;
  /** The same for the console's settings, without secrets. */
  facts: JsonObject;
  /** Loads its libraries. */
  open(parts: PlatformParts): Promise<OpenPlatform>;
  /** Queries the platform. @throws CountersignError with advice for the operator */
  check(warn: (message: string) => void): Promise<Omit<CheckResult, 'part'>>;
  /** Shown when `check` throws. */
  advice: string;
};

export type OpenPlatform = {
  handle: InboxHandler;
  port: ChatPort;
  /** If it has Home tabs. */
  homes?: ChatHomes;
  userGroups?: UserGroupReader;
  /** If files can be attached to messages. */
  fetchFile?: FetchFile;
  /** If plans post outside their own conversations there. */
  findPlace?: FindPlace;
  /** If it has threads whose messages are not all delivered. */
  readThread?: ReadMessages;
  /** Registers a route, or connects once `app` listens. */
  receive(app: FastifyInstance, inbox: { receive: Receive; wait: WaitUntilHandled }): Promise<void>;
  /** The state of each organisation that installed the app, if several can. */
  checkInstalled?(): Promise<CheckResult[]>;
};

export type ChatContext = {
  service: Service;
  /** Plans shown to a person outside their conversations (lists, Home). */
  plansFor(tenant: string, reader: string): PlanReads;
  /**
   * Registers a place as a conversation's.
   * @param timezone of its only reader, or null if several read
   * @returns the conversation's name
   */
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  /** Redraws a Home that was opened or changed. */
  openHome(home: { tenant: string; user: string }): Promise<void>;
  /** Rereads a workspace's user groups. */
  renewGroups(team: string, heardAt: Date): Promise<void>;
  /** All names of one person. */
  everyNameOf(name: string): Promise<string[]>;
  /** All names of these people, and of every plan's approvers. */
  namesOf(names: readonly string[]): Promise<string[]>;
  clock: Clock;
  /** Without a model, greetings say what works and how to connect one. */
  hasModel: boolean;
  /** Used if a person's time zone is unknown. */
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

/** @param read gets the platform's own and the common variables */
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
