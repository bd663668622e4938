// Tasks for people. A No skips all steps that wait.
import { isObject, type Json } from '../text.ts';
import { operationName } from '../tool.ts';
import { referencesOf } from './arguments.ts';
import type { StepCondition } from './condition.ts';
import { fieldsOf } from './form.ts';
import type { Step } from './plan.ts';

type Named = Pick<Step, 'tool' | 'operation'>;
type Asking = Named & Pick<Step, 'args'>;

export function isConfirmation({ tool, operation }: Named): boolean {
  return operationName(tool, operation) === 'human_confirm';
}

const isWord = (word: string) => (text: string) => text.trim().toLowerCase() === word;

function findYesNoField(args: Asking['args']): string | null {
  const [field, ...others] = fieldsOf(args.form);
  if (field === undefined || others.length > 0) return null;
  if (field.type === 'boolean') return field.name;
  const values = field.options.map(({ value }) => value);
  const both = values.length === 2 && values.some(isWord('yes')) && values.some(isWord('no'));
  return both ? field.name : null;
}

export function asksYesOrNo(step: Asking): boolean {
  return isConfirmation(step) || (isTask(step) && findYesNoField(step.args) !== null);
}

const isTask = ({ tool, operation }: Named) => operationName(tool, operation) === 'human_task';

/** In the step's output. */
function placeOfNo(step: Asking): { path: string; no: (value: Json | undefined) => boolean } {
  const field = isConfirmation(step) ? null : findYesNoField(step.args);
  const no = (value: Json | undefined) =>
    value === false || (typeof value === 'string' && isWord('no')(value));
  return { path: field === null ? '/answer' : `/fields/${field}`, no };
}

export function answeredNo(step: Asking, output: Json): boolean {
  if (!isObject(output) || !asksYesOrNo(step)) return false;
  const { path, no } = placeOfNo(step);
  const [, name = '', field] = path.split('/');
  const value = output[name];
  return no(field === undefined ? value : isObject(value) ? value[field] : undefined);
}

type Waiting = Asking & Pick<Step, 'id' | 'after' | 'when'>;

/** By its own condition on the answer, or by using a form's value. */
export function decidesItself(
  { when, args }: Pick<Waiting, 'when' | 'args'>,
  question: Named & { id: string },
): boolean {
  if (when.some(({ step }) => step === question.id)) return true;
  return !isConfirmation(question) && referencesOf(args).some(({ $from }) => $from === question.id);
}

function failsOnNo({ path, is, value }: StepCondition, question: Asking): boolean {
  const place = placeOfNo(question);
  if (path !== place.path) return false;
  if (is === 'equals') return !place.no(value);
  return is === 'not_equals' && place.no(value);
}

/** `question` may be a call that asks first. */
export function leftOutByNo(steps: readonly Waiting[], question: Waiting): Set<string> {
  const left = new Set<string>();
  // A call not made has no output.
  const isCall = !asksYesOrNo(question);
  const isLeft = (step: Waiting): boolean => {
    const own = step.when.filter((condition) => condition.step === question.id);
    if (own.length > 0) return isCall || own.some((condition) => failsOnNo(condition, question));
    const waits = step.after.filter(({ type }) => type === 'FS' || type === 'FF');
    return (
      waits.some(({ id }) => left.has(id)) ||
      (waits.some(({ id }) => id === question.id) && (isCall || !decidesItself(step, question)))
    );
  };
  for (let size = -1; size < left.size; ) {
    size = left.size;
    for (const step of steps) if (isLeft(step)) left.add(step.id);
  }
  return left;
}

export function isHumanTask({ tool, operation }: Pick<Step, 'tool' | 'operation'>): boolean {
  return ['human_task', 'human_confirm'].includes(operationName(tool, operation));
}

export function takerOf({ output }: Pick<Step, 'output'>): string | null {
  const taken = isObject(output) ? output.taken_over_by : null;
  return typeof taken === 'string' ? taken : null;
}

export function assigneeOf(
  step: Pick<Step, 'tool' | 'operation' | 'args' | 'output'>,
): string | null {
  if (!isHumanTask(step)) return null;
  const { output, args } = step;
  // Named by an earlier step, so known only once the step asks.
  const asked = isObject(output) ? output.assignee : null;
  const assignee = asked ?? args.assignee;
  return typeof assignee === 'string' && assignee !== '' ? assignee : null;
}
