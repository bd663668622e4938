// Stores Slack's requests, acknowledges, then handles them.
import type { First, Receive } from '#chat/inbox/receive.ts';
import type { Clock } from '#domain/clock.ts';
import { nameSignal } from '../signals/name-signal.ts';
import {
  type MessageSignal,
  readSignal,
  type Signal,
  type SuggestSignal,
} from '../signals/read-signal.ts';
import { isAddressed } from '../talk/receive-message.ts';

/** Null for none. */
export type Acknowledgement = Record<string, unknown> | null;

/** @throws if not stored: unacknowledged, Slack resends it */
export type Accept = (body: Buffer<ArrayBuffer>) => Promise<Acknowledgement>;

export function createAccept(parts: {
  receive: Receive;
  clock: Clock;
  /** Synchronous, for the acknowledgement. */
  object(signal: Signal): Acknowledgement;
  /** Within a trigger's three seconds; not awaited. Must not throw. */
  show(signal: Signal): Promise<void>;
  /** Must not throw. @param sent called once its request is under way */
  showFirst(signal: MessageSignal, sent: () => void): Promise<void>;
  /** Null to decide. Must be fast and not throw. */
  recheck(signal: Signal): Promise<Acknowledgement>;
  /** Must be fast and not throw. */
  suggest(signal: SuggestSignal): Promise<Acknowledgement>;
  /** Presses in it only redraw it. */
  isRedrawn(view: { callback_id: string }): boolean;
}): Accept {
  const { receive, clock, object, show, showFirst, recheck, suggest, isRedrawn } = parts;

  function signOf(signal: Signal): First | undefined {
    if (signal.kind !== 'message' || isAddressed(signal) !== 'yes') return undefined;
    return (sent) => showFirst(signal, sent);
  }

  function onlyShows(signal: Signal): boolean {
    if (signal.kind !== 'press') return signal.kind === 'shortcut' || signal.kind === 'start';
    const { view } = signal.pressed;
    return view !== undefined && isRedrawn(view);
  }

  return async (body) => {
    const signal = readSignal(body);
    if (signal === null) return null;
    if (signal.kind === 'suggest') return suggest(signal);
    // Not stored, since it decides nothing.
    if (onlyShows(signal)) {
      void show(signal);
      return null;
    }
    // Messages for others are not stored.
    if (signal.kind === 'message' && isAddressed(signal) === 'no') return null;
    const objection = object(signal) ?? (await recheck(signal));
    // The corrected form is stored. Empty: nothing is left to do.
    if (objection !== null) return Object.keys(objection).length === 0 ? null : objection;
    const { stored } = await receive(nameSignal(signal, body, clock.now()), signOf(signal));
    if (stored) void show(signal);
    return null;
  };
}
