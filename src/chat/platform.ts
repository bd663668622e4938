// A chat platform as one record. `app/platforms.ts` lists them; the rest is in the platform's adapter folder.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Database, Transaction } from '#db/database.ts';
import type { ChatHomes, ChatPlace, ChatPort, RateLimits } from '#domain/chat/chat.ts';
import type { Clock } from '#domain/clock.ts';
import type { Enqueue, EnqueueAll } from '#domain/jobs.ts';
import type { UserGroupReader } from '#domain/people/user-groups.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import type { PlanReads, Service } from '#domain/service.ts';
import type { Environment } from '#domain/settings.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import type { JsonObject } from '#domain/text.ts';
import type { InboxHandler } from './inbox/inbox-context.ts';
import type { Receive } from './inbox/receive.ts';
import type { WaitUntilHandled } from './inbox/wait-until-handled.ts';
import type { CardDrawing } from './outbox/draw-message.ts';

export type Platform = {
  name: PlatformName;
  title: string;
  /** How to set it up. */
  guide: string;
  /** Its variables of the environment, beside those of every instance. */
  variables: z.ZodObject;
  drawing: CardDrawing;
  /**
   * @param set the environment
   * @returns null: it is not set up
   * @throws CountersignError `invalid_configuration`
   */
  configure(set: Variables, env: Environment): PlatformSetup | null;
};

export type Variables = Record<string, string | undefined>;

/** A configured platform; its libraries are not loaded yet. */
export type PlatformSetup = {
  /** Several organisations use it: people of one see nothing of another. */
  shared: boolean;
  /** How it is reached, for the terminal. */
  reached: string;
  /** The same for the console's settings, without secrets. */
  facts: JsonObject;
  /** Loads its libraries. */
  open(parts: PlatformParts): Promise<OpenPlatform>;
  /** Asks the platform. @throws CountersignError that says what an operator has to do */
  check(warn: (message: string) => void): Promise<Omit<CheckResult, 'part'>>;
  /** Shown when `check` throws. */
  advice: string;
};

export type OpenPlatform = {
  handle: InboxHandler;
  port: ChatPort;
  /** Left out: it has none. */
  homes?: ChatHomes;
  userGroups?: UserGroupReader;
  /** Registers a route, or opens a connection once `app` listens. */
  receive(app: FastifyInstance, inbox: { receive: Receive; wait: WaitUntilHandled }): Promise<void>;
  /** How each organisation is that added the app, where several may. */
  checkInstalled?(): Promise<CheckResult[]>;
};

export type ChatContext = {
  service: Service;
  /** Plans shown to a person outside their conversations (lists, Home). */
  plansFor(tenant: string, reader: string): PlanReads;
  /**
   * Makes a place known as one where a conversation lives.
   * @param timezone of the one who reads there; null: several do
   * @returns the conversation's name
   */
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  /** Has somebody's Home drawn: it was opened, or something on it was changed. */
  openHome(home: { tenant: string; user: string }): Promise<void>;
  /** Reads the user groups of a workspace again. */
  renewGroups(team: string, heardAt: Date): Promise<void>;
  /** All names of the person behind one. */
  everyNameOf(name: string): Promise<string[]>;
  /** All names of those behind some, and of approvers of every plan. */
  namesOf(names: readonly string[]): Promise<string[]>;
  clock: Clock;
  /** Used if nobody's time zone is known. */
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
};

/** @param read gets the platform's own variables with those of every instance */
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
