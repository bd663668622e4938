// What built-in tools need from the rest of the instance, injected at start.

/** Says something in a conversation. */
export type ChatPort = {
  /**
   * `once`: a text with the same key is said only the first time. `from`: the conversation of the plan that posts.
   * @throws CountersignError `invalid_arguments` when it may not post there, or there is no such conversation
   */
  post(message: {
    conversation: string;
    from: string | null;
    user: string;
    text: string;
    once: string;
  }): Promise<void>;
};

export type NewReminder = {
  id: string;
  planId: string | null;
  user: string;
  conversation: string | null;
  text: string;
  /** RFC 5545 rule; null: once. */
  rrule: string | null;
  timezone: string;
  startsAt: Date;
  /** When it rings first. */
  nextAt: Date;
};

/** Keeps reminders. */
export type ReminderPort = {
  /** Stores the reminder under its id; a second call with the same id changes nothing more. */
  set(reminder: NewReminder): Promise<void>;
};

/** Zones and recurrence rules; `src/timeline/recurrence.ts` fits it as it is. */
export type TimePort = {
  /** What is wrong with a rule, as a sentence. */
  checkRule(rrule: string): string | null;
  /** What is wrong with a zone, as a sentence. */
  checkTimezone(timezone: string): string | null;
  readRule(rrule: string): string;
  nextOccurrences(
    recurrence: { rrule: string; timezone: string; startsAt: Date },
    after: Date,
    limit: number,
  ): Date[];
  toMoment(text: string, timezone: string): Date;
  toLocalIso(moment: Date, timezone: string): string;
  formatMoment(moment: Date, timezone: string, options?: { zone?: boolean }): string;
};
