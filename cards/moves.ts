// Buttons for other times and orders.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { StepMove } from '#domain/planning/artifacts.ts';
import { showTitle } from '#domain/shown-text.ts';
import { capitalise } from '#domain/words.ts';
import { dayName, isSameDay, tellClock, tellTime } from './times.ts';
import { nameWay } from './words.ts';

type Reading = { now: string; viewer: { user: string; timezone: string } };

/** `Move to 14:00`, `Wednesday instead`, else `Move to Wed 4 Feb, 10:30` */
function nameMove({ from }: StepMove, slot: string, reading: Reading): string {
  const { timezone } = reading.viewer;
  if (isSameDay(from, slot, timezone)) return `Move to ${tellClock(slot, reading)}`;
  const days = (Date.parse(slot) - Date.parse(from)) / 86_400_000;
  const isSameTime = tellClock(from, reading) === tellClock(slot, reading);
  return isSameTime && days < 7
    ? `${dayName(slot, timezone)} instead`
    : `Move to ${tellTime(slot, reading)}`;
}

/** Local, for a change in words. */
export function writeMoment(slot: string, timezone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(new Date(slot));
  return `${parts.replace(' ', ' at ')} ${timezone}`;
}

export type MoveOffer = { label: string; choice: string };

/** `One at a time instead` */
export function offerOrders(orders: PlanCardFacts['orders']): MoveOffer[] {
  return (orders?.options_tried ?? []).flatMap(({ name }) =>
    name === orders?.chosen
      ? []
      : [
          {
            label: `${capitalise(nameWay(name))} instead`,
            choice: `do the steps ${nameWay(name)}`,
          },
        ],
  );
}

export const maxOffers = 2;

/** One step's starts, or the first of each. */
export function offerMoves(moves: StepMove[], reading: Reading): MoveOffer[] {
  const first = new Map(moves.toReversed().map((move) => [move.step, move]));
  const wanted = [...first.values()].toReversed();
  const several = wanted.length > 1;
  return wanted
    .flatMap((move) => {
      const { step, title, timezone } = move;
      // Names with quotation marks can't be parsed.
      if (step.includes('"')) return [];
      return move.slots.slice(0, several ? 1 : 2).map((slot) => {
        const label = nameMove(move, slot, reading);
        return {
          label: several ? `${showTitle(title, 30)}: ${label}` : label,
          choice: `start step "${step}" on ${writeMoment(slot, timezone)}`,
        };
      });
    })
    .slice(0, maxOffers);
}
