// The entry for both transports: stores Slack's requests, then acknowledges, then handles them.
import type { Receive } from '#chat/inbox/receive.ts';
import type { Clock } from '#domain/clock.ts';
import { nameSignal } from '../signals/name-signal.ts';
import { readSignal, type Signal, type SuggestSignal } from '../signals/read-signal.ts';
import { isAddressed } from '../talk/receive-message.ts';

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
  /** Options of a menu. Must not throw or take long. */
  suggest(signal: SuggestSignal): Promise<Acknowledgement>;
  /** Whether presses in this window only redraw it. */
  isRedrawn(view: { callback_id: string }): boolean;
}): Accept {
  const { receive, clock, object, show, recheck, suggest, isRedrawn } = parts;

  function onlyShows(signal: Signal): boolean {
    if (signal.kind !== 'press') return signal.kind === 'shortcut' || signal.kind === 'start';
    const { view } = signal.pressed;
    return view !== undefined && isRedrawn(view);
  }

  return async (body) => {
    const signal = readSignal(body);
    if (signal === null) return null;
    if (signal.kind === 'suggest') return suggest(signal);
    // It opens or redraws a window within three seconds, so it is not stored; what the window decides is.
    if (onlyShows(signal)) {
      void show(signal);
      return null;
    }
    // Messages that are not for the bot are not stored.
    if (signal.kind === 'message' && isAddressed(signal) === 'no') return null;
    const objection = object(signal) ?? (await recheck(signal));
    // The person corrects and sends it again; that one is stored. An empty answer says that nothing is left to do.
    if (objection !== null) return Object.keys(objection).length === 0 ? null : objection;
    const { stored } = await receive(nameSignal(signal, body, clock.now()));
    if (stored) void show(signal);
    return null;
  };
}
