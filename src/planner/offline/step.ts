// A step as commands give it, and the files it touches.
import type { StepCondition } from '#domain/plan/condition.ts';
import type { Dependency } from '#domain/plan/dependency.ts';
import type { JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { trimTail } from '#domain/words.ts';
import type { Question } from '../commands/answers.ts';
import type { Command } from '../commands/request.ts';

export type Setting = {
  manifest: readonly OperationSpec[];
  now: Date;
  timezone: string;
  answers: ReadonlyMap<string, string>;
};

export type Step = {
  id: string;
  spec: OperationSpec;
  args: JsonObject;
  after: Dependency[];
  when: StepCondition[];
  start: string | null;
  takes: string | null;
  deadline: string | null;
  recurs: { rrule: string; until: string | null } | null;
  command: Command;
};

export type Built =
  | { kind: 'steps'; steps: Step[] }
  | { kind: 'questions'; questions: Question[] }
  /** The form's operation is not connected. */
  | { kind: 'missing'; text: string; wanted: string }
  /** Understood, but can't be planned like this. */
  | { kind: 'refused'; text: string };

const cleanPath = (path: string) => trimTail(path.replace(/^\.\//, ''), /\//);

export function filesOf({ command: { form }, args, spec }: Step): {
  changes: string[];
  reads: string[];
} {
  const paths = (names: readonly string[]) =>
    names.flatMap((name) => (typeof args[name] === 'string' ? [cleanPath(args[name])] : []));
  if (form.operation === null) {
    const all = paths(['path', 'from', 'to', 'source', 'destination', 'file']);
    return spec.effect === 'read' ? { changes: [], reads: all } : { changes: all, reads: [] };
  }
  const { changes = [] } = form;
  return {
    changes: paths(changes),
    reads: paths(['path', 'from'].filter((name) => !changes.includes(name))),
  };
}
