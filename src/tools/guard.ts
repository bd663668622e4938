// The guard: plans call what they list, planners only read. Pure.
import type { Settings } from '#domain/settings.ts';
import type { Effect, OperationSpec, ToolRegistry } from '#domain/tool.ts';

export type CallQuestion = {
  operation: string;
  /** The plan's `tools_required`, or null outside any plan. */
  scope: readonly string[] | null;
  guarded: readonly string[];
  approvedBy: string | null;
  effect?: Effect;
  mode: Settings['guardMode'];
};

/** `reason` is for the audit and the refused person. */
export type CallDecision =
  | { kind: 'allow'; reason: string }
  /** Mode `log`: the call is made, and the reason recorded. */
  | { kind: 'record'; code: 'out_of_scope' | 'guarded_operation'; reason: string }
  | { kind: 'refuse'; code: 'out_of_scope' | 'guarded_operation'; reason: string };

/** An unlisted shell is refused in every mode. */
export function decideCall(question: CallQuestion): CallDecision {
  const { operation, scope, guarded, approvedBy, mode } = question;
  const approved = approvedBy !== null;
  const isListed = scope?.includes(operation) === true;
  if (scope !== null && !isListed) {
    const kind = mode === 'log' && !isShell(operation) ? 'record' : 'refuse';
    return { kind, code: 'out_of_scope', reason: toScopeSentence(operation, scope) };
  }
  const isGuarded = guarded.includes(operation);
  const isLooseShell = !(isListed && approved) && isShell(operation);
  if (isLooseShell || (isGuarded && !approved)) {
    const kind = mode === 'log' && !isLooseShell ? 'record' : 'refuse';
    return { kind, code: 'guarded_operation', reason: toGuardSentence(operation) };
  }
  return { kind: 'allow', reason: toAllowSentence(question, isGuarded) };
}

function toAllowSentence(question: CallQuestion, isGuarded: boolean): string {
  const { operation, scope, approvedBy, effect } = question;
  if (scope === null) {
    const why = effect === 'read' ? 'only reads' : 'is not guarded';
    return `${operation} ${why}, so it needs no plan.`;
  }
  const what = isGuarded ? 'is guarded, and is' : effect === 'read' ? 'only reads, and is' : 'is';
  const approval =
    approvedBy === null ? 'which has not been approved yet' : `approved by ${approvedBy}`;
  return `${operation} ${what} in the scope of this plan, ${approval}.`;
}

function toScopeSentence(name: string, scope: readonly string[]): string {
  return `Tool ${name} not available in plan scope. Only [${scope.join(', ')}] are available.`;
}

function toGuardSentence(name: string): string {
  return `${name} is guarded and runs only inside an approved plan. Put it into a step of a plan; it can run once a person has approved it.`;
}

const shellWords = new Set([
  'shell',
  'bash',
  'zsh',
  'sh',
  'powershell',
  'cmd',
  'terminal',
  'exec',
  'execute',
  'eval',
  'spawn',
  'subprocess',
]);
const shellPhrases = ['run_command', 'run_script', 'run_code', 'run_process', 'start_process'];

export function isShell(operation: string): boolean {
  const words = operation
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const phrase = words.join('_');
  return words.some((word) => shellWords.has(word)) || shellPhrases.some((p) => phrase.includes(p));
}

/** They reach people, store something, cost money or do nothing. */
const neverForPlanners = new Set(['human', 'chat', 'reminder', 'control', 'text', 'plan']);

/** Listing one that writes in `allow` has no effect. */
export function plannerOperations(
  registry: Pick<ToolRegistry, 'list'>,
  plannerTools: Settings['plannerTools'],
): OperationSpec[] {
  const { allow, deny } = plannerTools;
  return registry
    .list()
    .filter(
      (operation) =>
        operation.effect === 'read' &&
        operation.human !== true &&
        !(operation.source === 'builtin' && neverForPlanners.has(operation.tool)) &&
        !isShell(operation.name) &&
        !deny.includes(operation.name) &&
        (allow === undefined || allow.includes(operation.name)),
    );
}
