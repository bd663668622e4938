// What the parts of the Slack adapter are given.
import type { ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import type { UserGroupReader } from '#domain/people/user-groups.ts';
import type { PlanReads, Service } from '#domain/service.ts';
import type { Respond } from './port/respond.ts';
import type { People } from './talk/people.ts';
import type { Reach } from './talk/reach.ts';
import type { ClientOf } from './workspaces.ts';

export type SlackContext = {
  service: Service;
  /** The plans that are shown to a person outside their conversations: in lists, on a Home, and what is opened from there. */
  plansFor(team: string, reader: string): PlanReads;
  clientOf: ClientOf;
  people: People;
  userGroups: Pick<UserGroupReader, 'list'>;
  port: ChatPort;
  reach: Reach;
  respond: Respond;
  /**
   * Makes a place known as one where a conversation lives.
   * @param timezone of the one who reads there; null: several do
   * @returns the conversation's name
   */
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  /** Has somebody's Home drawn: it was opened, or something on it was changed. */
  openHome(home: { tenant: string; user: string }): Promise<void>;
  /** Has the user groups of a workspace read anew. */
  renewGroups(team: string, heardAt: Date): Promise<void>;
  warn(message: string, error?: unknown): void;
};
