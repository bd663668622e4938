// What the parts of the Teams adapter are given.
import type { ChatPlace, ChatPort } from '#domain/chat/chat.ts';
import type { TeamsConversations } from '#domain/chat/teams-conversation.ts';
import type { Clock } from '#domain/clock.ts';
import type { PlanReads, Service } from '#domain/service.ts';
import type { People } from './talk/people.ts';

export type TeamsContext = {
  service: Service;
  /** The plans that are shown to a person outside their conversations: in lists, and what is opened from there. */
  plansFor(tenant: string, reader: string): PlanReads;
  people: People;
  port: ChatPort;
  conversations: TeamsConversations;
  clock: Clock;
  /**
   * Makes a place known as one where a conversation lives.
   * @param timezone of the one who reads there; null: several do
   * @returns the conversation's name
   */
  openConversation(place: ChatPlace, timezone: string | null): Promise<string>;
  warn(message: string, error?: unknown): void;
};
