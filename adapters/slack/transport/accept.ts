// The entry for both transports: stores Slack's requests, then acknowledges, then handles them.
import type { Receive } from '#chat/inbox/receive.ts';
import type { Clock } from '#domain/clock.ts';
import { nameSignal } from '../signals/name-signal.ts';
import { readSignal, type Signal } from '../signals/read-signal.ts';
import { isAddressed } from '../talk/hear.ts';

/** The acknowledgement's body, or null for none. */
export type Acknowledgement = Record<string, unknown> | null;

/** @throws if it can't be stored; it must stay unacknowledged, and Slack sends it again */
export type Accept = (body: Buffer<ArrayBuffer>) => Promise<Acknowledgement>;

export function createAccept(parts: {
  receive: Receive;
  clock: Clock;
  /** Errors in a form for the acknowledgement, or null. Must not wait. */
  object(signal: Signal): Acknowledgement;
  /** Work within the three seconds of a trigger; not awaited. Must not throw. */
  show(signal: Signal): Promise<void>;
  /** The answer that replaces deciding about a form, or null to decide. Must not throw or take long. */
  recheck(signal: Signal): Promise<Acknowledgement>;
}): Accept {
  const { receive, clock, object, show, recheck } = parts;
  return async (body) => {
    const signal = readSignal(body);
    if (signal === null) return null;
    if (signal.kind === 'shortcut') {
      // It only opens a window, within three seconds, so it is not stored; the window's form is.
      void show(signal);
      return null;
    }
    // Messages that are not for the bot are not stored.
    if (signal.kind === 'message' && isAddressed(signal) === 'no') return null;
    const objection = object(signal) ?? (await recheck(signal));
    // The person corrects and sends it again; that one is stored.
    if (objection !== null) return objection;
    const { stored } = await receive(nameSignal(signal, body, clock.now()));
    if (stored) void show(signal);
    return null;
  };
}
