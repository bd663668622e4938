// Finds steps by partition or tag, at the cost of those selected.
import type { findSelected } from '#db/sql/patch-reads.ts';
import { CountersignError } from '#domain/errors.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';

/** Per patch, since it is resolved under the lock. */
const maxMeant = 500_000;

type Selected = Awaited<ReturnType<typeof findSelected>>[number];

export class Selection {
  readonly #byPartition = new Map<string, Selected[]>();
  readonly #byTag = new Map<string, Selected[]>();
  #meant = 0;

  constructor(selected: Selected[]) {
    const note = (groups: Map<string, Selected[]>, key: string, step: Selected) => {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [step]);
      else group.push(step);
    };
    for (const step of selected) {
      if (step.partition !== null) note(this.#byPartition, step.partition, step);
      for (const tag of step.tags) note(this.#byTag, tag, step);
    }
  }

  /** With duplicates. @throws `invalid_request` if the patch selects too many */
  idsOf({ partition, tag }: StepSelector): string[] {
    const steps = [
      ...((partition === undefined ? undefined : this.#byPartition.get(partition)) ?? []),
      ...((tag === undefined ? undefined : this.#byTag.get(tag)) ?? []),
    ];
    this.#meant += steps.length;
    if (this.#meant > maxMeant) {
      throw new CountersignError(
        'invalid_request',
        `The operations of this change mean more than ${maxMeant.toLocaleString('en')} steps by partition or tag, many of them several times. Say what changes of the same steps in one operation, or send several changes.`,
      );
    }
    return steps.map(({ step_id }) => step_id);
  }
}
