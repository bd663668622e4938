// Repairs an outline (B7) without losing a step.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Adaptation, Violation } from '#domain/planning/trace.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { shorten } from '#domain/words.ts';
import { patternRules } from '../patterns/rules.ts';
import { OutlineEditor } from './edit-outline.ts';
import { findFixes } from './find-fixes.ts';
import type { Fix } from './fix-kinds.ts';
import { setLevels } from './outline-tree.ts';
import { validateOutline } from './validate-outline.ts';

/** Fixes can cause further ones. */
const maxRounds = 40;

/** In order of application. Unreadable rules and circular data flow have none. */
export async function suggestFixes(outline: PlanOutline, violations: Violation[]): Promise<Fix[]> {
  const wanted = new Set(violations.map(({ code }) => code));
  const fixes: Fix[] = [];
  let current = outline;
  let open = violations;
  for (let round = 0; round < maxRounds && open.length > 0; round += 1) {
    if (isSliceOver()) await nextTurn();
    const found = findFixes(current, open);
    if (found.length === 0) break;
    fixes.push(...found);
    current = applyFixes(current, found).outline;
    if (isSliceOver()) await nextTurn();
    open = validateOutline(current).filter(({ code, blocking }) => blocking || wanted.has(code));
  }
  return fixes;
}

export function applyFixes(
  outline: PlanOutline,
  fixes: Fix[],
): { outline: PlanOutline; adaptations: Adaptation[] } {
  const editor = new OutlineEditor(outline.nodes);
  const adaptations: Adaptation[] = [];
  const assumptions = new Set(outline.assumptions);
  let { pattern } = outline;
  editor.renameSteps(readNewStepIds(fixes));
  for (const fix of fixes) {
    // Consecutive removals are spliced together.
    if (fix.do !== 'remove' && fix.do !== 'flatten') editor.flush();
    if (fix.do === 'repattern') pattern = changePattern(outline, fix.pattern);
    else if (!applyFix(editor, fix)) continue;
    if (fix.assume !== undefined) assumptions.add(shorten(fix.assume, 1000));
    adaptations.push(describeFix(fix));
  }
  const nodes = setLevels(editor.finish());
  const fixed = { ...outline, pattern, nodes, assumptions: [...assumptions].slice(0, 50) };
  return { outline: fixed, adaptations };
}

function readNewStepIds(fixes: Fix[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const fix of fixes) {
    if (fix.do === 'rename_step') names.set(fix.step, [...(names.get(fix.step) ?? []), fix.to]);
  }
  return names;
}

function applyFix(editor: OutlineEditor, fix: Exclude<Fix, { do: 'repattern' }>): boolean {
  switch (fix.do) {
    case 'rename':
      return editor.rename(fix.node, fix.to);
    case 'rename_step':
    case 'relevel':
      // Steps were renamed before; levels follow at the end.
      return true;
    case 'add':
      return editor.insert(
        fix.node,
        fix.node.parent === null ? null : lastOf(editor, fix.node.parent),
      );
    case 'move':
      return editor.change(fix.node, { parent: fix.parent });
    case 'set_structure':
      return editor.change(fix.node, { structure: fix.structure });
    case 'set_rhythm':
      return editor.change(fix.node, {
        rhythm: fix.rhythm,
        ...(fix.rhythm === 'recurring' ? {} : { recurs: null }),
      });
    case 'unlink':
      return editor.unlink(fix.node, fix.step, fix.on, fix.type);
    case 'remove':
      return editor.remove(fix.node);
    case 'flatten':
      return editor.flatten(fix.node);
    case 'push_down':
      return pushDown(editor, fix.node, fix.into);
    default:
      return fix satisfies never;
  }
}

function lastOf(editor: OutlineEditor, parent: string): string {
  return editor.partsOf(parent).at(-1) ?? parent;
}

function pushDown(editor: OutlineEditor, id: string, into: string): boolean {
  const node = editor.get(id);
  if (node === undefined || node.steps.length === 0) return false;
  const { title, steps, duration_minutes } = node;
  const task = {
    ...node,
    id: into,
    parent: id,
    title,
    structure: 'task' as const,
    rhythm: 'one_off' as const,
    origin: 'ai_adaptation' as const,
    after: [],
    steps,
    duration_minutes,
    not_before: null,
    deadline: null,
    recurs: null,
    target: null,
  };
  const { timing: _, ...fresh } = task;
  editor.change(id, { steps: [], duration_minutes: null });
  return editor.insert(fresh, id);
}

function changePattern(
  { pattern }: PlanOutline,
  type: Extract<Fix, { do: 'repattern' }>['pattern'],
): PlanOutline['pattern'] {
  const { subtype, variant, confidence } = pattern;
  const { subtypes, variants } = patternRules[type];
  return {
    pattern_type: type,
    introduced_by: 'ai_adaptation',
    ...(confidence === undefined ? {} : { confidence }),
    ...(subtype !== undefined && subtypes.includes(subtype) ? { subtype } : {}),
    ...(variant !== undefined && variants.includes(variant) ? { variant } : {}),
  };
}

const whats: Record<Fix['do'], Adaptation['what']> = {
  rename: 'changed',
  rename_step: 'changed',
  add: 'added',
  move: 'moved',
  set_structure: 'changed',
  set_rhythm: 'changed',
  unlink: 'unlinked',
  remove: 'removed',
  flatten: 'moved',
  push_down: 'added',
  relevel: 'changed',
  repattern: 'changed',
};

function describeFix(fix: Fix): Adaptation {
  return {
    what: whats[fix.do],
    node: shorten(placeOf(fix), 500),
    introduced_by: 'ai_adaptation',
    why: shorten(fix.why, 1000),
  };
}

function placeOf(fix: Fix): string {
  switch (fix.do) {
    case 'rename':
      return fix.to;
    case 'rename_step':
      return fix.to;
    case 'add':
      return fix.node.id;
    case 'unlink':
      return `${fix.on} → ${fix.step ?? fix.node}`;
    case 'push_down':
      return fix.into;
    case 'repattern':
      return 'pattern';
    default:
      return fix.node;
  }
}
