// The step state a card showed; other states refuse its presses.

export const settledStatuses = ['waiting', 'unknown', 'failed'] as const;
type SettledStatus = (typeof settledStatuses)[number];

export type ExpectedStep = { attempt: number; status: SettledStatus };

export function readSettledStatus(status: string): SettledStatus | null {
  return settledStatuses.find((one) => one === status) ?? null;
}

type AboutStep = {
  step_id?: string | undefined;
  attempt?: number | undefined;
  stood?: SettledStatus | undefined;
};

/** Null for older cards. */
export function expectedStep({
  step_id: step,
  attempt,
  stood: expectedStatus,
}: AboutStep): Record<string, ExpectedStep> | null {
  if (step === undefined || attempt === undefined || expectedStatus === undefined) return null;
  return { [step]: { attempt, status: expectedStatus } };
}
