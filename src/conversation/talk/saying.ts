// A message of a person and what is known about it.
import type { Actor } from '#domain/people/actor.ts';
import type { WantedModes } from '#domain/plan/modes.ts';
import type { OnScreen } from '#domain/service.ts';

/**
 * What a person said, its name where it came from and when it was written there, and the turn of the run it was said to,
 * where that is known. `on_screen`: it came over HTTP, which says what was read; nobody else knows.
 */
export type Saying = {
  text: string;
  actor: Actor;
  once?: string;
  written_at?: Date;
  turn?: number;
  on_screen?: OnScreen;
  /** How it is planned, as a control beside it says. */
  modes?: WantedModes;
};
