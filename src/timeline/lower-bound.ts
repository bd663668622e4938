// Ends that no order of the work can beat.
import { type PassInput, runForwardPass } from './forward-pass.ts';
import { mergeIntervals, minuteMs, subtractIntervals, workingTimeWithin } from './working-time.ts';

/** Each node's end if its person and pools had nothing else. @param until an end in some order */
export function findEarliestEnds(
  input: PassInput,
  until: number,
): { ends: Map<string, number>; end: number } {
  const own = input.nodes.flatMap(({ id, person }) => (person === null ? [] : [{ id, person }]));
  const busy = new Map(own.map(({ id, person }) => [id, input.busy.get(person) ?? []]));
  const nodes = input.nodes.map((one) => ({ ...one, person: one.person === null ? null : one.id }));
  const pass = runForwardPass({ ...input, nodes, busy, capacity: new Map() });
  const places = pass.kind === 'placed' ? [...pass.places] : [];
  const ends = new Map(places.map(([id, { to }]) => [id, to]));
  const last = Math.max(input.now, ...ends.values());
  return { ends, end: Math.max(last, ...findLoadEnds(input, until)) };
}

function findLoadEnds({ nodes, busy, time, now }: PassInput, until: number): number[] {
  const people = Map.groupBy(
    nodes.filter(({ person, fixed, anyHour }) => person !== null && fixed === null && !anyHour),
    ({ person }) => person ?? '',
  );
  return [...people].map(([person, own]) => {
    let left = own.reduce((sum, { minutes }) => sum + minutes * minuteMs, 0);
    const from = Math.max(now, Math.min(...own.map(({ release }) => release ?? now)));
    const taken = mergeIntervals(busy.get(person) ?? []);
    for (const { from: begin, to } of subtractIntervals(
      workingTimeWithin(time, { from, to: until }),
      taken,
    )) {
      if (to - begin >= left) return begin + left;
      left -= to - begin;
    }
    return now;
  });
}
