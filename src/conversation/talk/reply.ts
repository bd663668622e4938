// A person's message and its context.
import type { AttachedFile } from '#domain/attached-file.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { WantedModes } from '#domain/plan/modes.ts';
import type { OnScreen } from '#domain/service.ts';

/** `on_screen`: as read, known only over HTTP. */
export type Reply = {
  text: string;
  actor: Actor;
  once?: string;
  written_at?: Date;
  turn?: number;
  on_screen?: OnScreen;
  modes?: WantedModes;
  files?: AttachedFile[];
};
