// The step attempt and status shown on a card. A press is refused for any other.

/** Statuses that a person settles. */
export const settledStands = ['waiting', 'unknown', 'failed'] as const;
type Stand = (typeof settledStands)[number];

/** The step state seen by the person who settles it. */
export type LookedAt = { attempt: number; status: Stand };

/** Null if a person can't settle that status. */
export function readStand(status: string): Stand | null {
  return settledStands.find((stand) => stand === status) ?? null;
}

/** A press's claims about its step. */
type AboutStep = {
  step_id?: string | undefined;
  attempt?: number | undefined;
  stood?: Stand | undefined;
};

/** The step state the presser saw, or null for older cards. */
export function expectedStep({
  step_id: step,
  attempt,
  stood,
}: AboutStep): Record<string, LookedAt> | null {
  if (step === undefined || attempt === undefined || stood === undefined) return null;
  return { [step]: { attempt, status: stood } };
}
