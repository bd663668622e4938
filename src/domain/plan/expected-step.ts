// The attempt and status of a step that a press refers to: those its card showed. The press is refused for any other.

/** How a step stands that a person settles. */
export const settledStands = ['waiting', 'unknown', 'failed'] as const;
type Stand = (typeof settledStands)[number];

/** What somebody looked at who says what became of a step. */
export type LookedAt = { attempt: number; status: Stand };

/** null: how `status` stands nobody settles. */
export function readStand(status: string): Stand | null {
  return settledStands.find((stand) => stand === status) ?? null;
}

/** What a press says of the step it is about. */
type AboutStep = {
  step_id?: string | undefined;
  attempt?: number | undefined;
  stood?: Stand | undefined;
};

/** What the presser looked at, by step; null: a card from before it was said. */
export function expectedStep({
  step_id: step,
  attempt,
  stood,
}: AboutStep): Record<string, LookedAt> | null {
  if (step === undefined || attempt === undefined || stood === undefined) return null;
  return { [step]: { attempt, status: stood } };
}
