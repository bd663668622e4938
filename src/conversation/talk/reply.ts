// A person's message and its context.
import type { AttachedFile } from '#domain/attached-file.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { WantedModes } from '#domain/plan/modes.ts';
import type { OnScreen } from '#domain/service.ts';

/**
 * A person's text, its external ID and time, and the run's turn it answers, if known. `on_screen`: what was read, known only over
 * HTTP.
 */
export type Reply = {
  text: string;
  actor: Actor;
  once?: string;
  written_at?: Date;
  turn?: number;
  on_screen?: OnScreen;
  /** Planning modes chosen with a control. */
  modes?: WantedModes;
  /** Attached on a chat platform. */
  files?: AttachedFile[];
};
