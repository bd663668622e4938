// The step attempt and status shown on a card. A press is refused for any other.

export const settledStatuses = ['waiting', 'unknown', 'failed'] as const;
type SettledStatus = (typeof settledStatuses)[number];

export type ExpectedStep = { attempt: number; status: SettledStatus };

export function readSettledStatus(status: string): SettledStatus | null {
  return settledStatuses.find((one) => one === status) ?? null;
}

/** A press's claims about its step. */
type AboutStep = {
  step_id?: string | undefined;
  attempt?: number | undefined;
  stood?: SettledStatus | undefined;
};

/** The step state the presser saw, or null for older cards. */
export function expectedStep({
  step_id: step,
  attempt,
  stood: expectedStatus,
}: AboutStep): Record<string, ExpectedStep> | null {
  if (step === undefined || attempt === undefined || expectedStatus === undefined) return null;
  return { [step]: { attempt, status: expectedStatus } };
}
