// One way in for both transports: what Slack sends is stored, then acknowledged, and only then is anything done about it.
import type { Receive } from '#chat/inbox/receive.ts';
import type { Clock } from '#domain/clock.ts';
import { nameSignal } from '../signals/name-signal.ts';
import { readSignal, type Signal } from '../signals/read-signal.ts';
import { isAddressed } from '../talk/hear.ts';

/** What the acknowledgement says; null: nothing. */
export type Acknowledgement = Record<string, unknown> | null;

/** @throws when it cannot be stored; then it must not be acknowledged, and Slack sends it again */
export type Accept = (body: Buffer<ArrayBuffer>) => Promise<Acknowledgement>;

export function createAccept(parts: {
  receive: Receive;
  clock: Clock;
  /** What is wrong with a form, as the acknowledgement says it; null: nothing. Must not wait for anything. */
  object(signal: Signal): Acknowledgement;
  /** What has to happen within the three seconds of a trigger; not waited for. Must not throw. */
  show(signal: Signal): Promise<void>;
  /** What is answered in place of deciding about a form; null: it is decided about. Must not throw nor take long. */
  recheck(signal: Signal): Promise<Acknowledgement>;
}): Accept {
  const { receive, clock, object, show, recheck } = parts;
  return async (body) => {
    const signal = readSignal(body);
    if (signal === null) return null;
    if (signal.kind === 'shortcut') {
      // It only opens a window, within three seconds, so nothing is stored before that; what the window sends is.
      void show(signal);
      return null;
    }
    // Messages that are not for the bot are not stored.
    if (signal.kind === 'message' && isAddressed(signal) === 'no') return null;
    const objection = object(signal) ?? (await recheck(signal));
    // The person sends it again, corrected: that is the one to keep.
    if (objection !== null) return objection;
    const { stored } = await receive(nameSignal(signal, body, clock.now()));
    if (stored) void show(signal);
    return null;
  };
}
