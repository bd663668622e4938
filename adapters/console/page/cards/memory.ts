// Keeps card input, focus and opened parts across redraws.
// The renderer makes new element IDs each time, but the card's own stay.
import type { AdaptiveCard } from './renderer.ts';

export type CardMemory = {
  /** Checkboxes are `true` or `false`. */
  values: Map<string, string>;
  opened: string[];
  focus: { key: string; start: number | null; end: number | null } | null;
};

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const fieldSelector = 'input, textarea, select';

/** Puts the card's IDs on elements; buttons get their part's first input. */
export function labelCard(card: AdaptiveCard): void {
  for (const { id, renderedInputControlElement: element } of card.getAllInputs()) {
    if (id !== undefined && element !== undefined) element.dataset.input = id;
  }
  for (const { card: part, renderedElement: button, title } of card.getAllActions()) {
    if (part === undefined || button === undefined) continue;
    button.dataset.opens = part.getAllInputs()[0]?.id ?? title ?? '';
  }
}

function fieldsOf(root: HTMLElement): Field[] {
  return [...root.querySelectorAll<Field>(fieldSelector)];
}

function nameOf(field: Element): string | null {
  const labelled = field.closest<HTMLElement>('[data-input]');
  return labelled?.dataset.input ?? null;
}

const isTick = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && field.type === 'checkbox';

const readValue = (field: Field): string => (isTick(field) ? String(field.checked) : field.value);

function keyOf(element: Element): string | null {
  const name = nameOf(element);
  if (name !== null) return `field:${name}`;
  if (!(element instanceof HTMLButtonElement)) return null;
  return `button:${element.dataset.opens ?? element.textContent}`;
}

function findByKey(root: HTMLElement, key: string): HTMLElement | undefined {
  const focusable = root.querySelectorAll<HTMLElement>(`${fieldSelector}, button`);
  return [...focusable].find((element) => keyOf(element) === key);
}

export function rememberCard(root: HTMLElement): CardMemory {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const key = active === null ? null : keyOf(active);
  const text = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
  const values = fieldsOf(root).flatMap((field): [string, string][] => {
    const name = nameOf(field);
    return name === null ? [] : [[name, readValue(field)]];
  });
  return {
    values: new Map(values),
    opened: [...root.querySelectorAll<HTMLElement>('button[aria-expanded="true"]')].flatMap(
      ({ dataset }) => dataset.opens ?? [],
    ),
    focus:
      key === null
        ? null
        : {
            key,
            start: text ? active.selectionStart : null,
            end: text ? active.selectionEnd : null,
          },
  };
}

function putBack(field: Field, value: string): void {
  if (readValue(field) === value) return;
  if (isTick(field)) field.checked = value === 'true';
  else field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

export function restoreCard(root: HTMLElement, memory: CardMemory, card: AdaptiveCard): void {
  for (const button of root.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')) {
    if (memory.opened.includes(button.dataset.opens ?? '')) button.click();
  }
  labelCard(card);
  for (const field of fieldsOf(root)) {
    const name = nameOf(field);
    const value = name === null ? undefined : memory.values.get(name);
    if (value !== undefined) putBack(field, value);
  }
  if (memory.focus === null) return;
  const target = findByKey(root, memory.focus.key);
  target?.focus({ preventScroll: true });
  if (target instanceof HTMLTextAreaElement && memory.focus.start !== null) {
    target.setSelectionRange(memory.focus.start, memory.focus.end ?? memory.focus.start);
  }
}
