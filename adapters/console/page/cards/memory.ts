// What a person was doing on a card (typed text, focus, opened parts), so that a redraw takes nothing from them.

export type CardMemory = {
  values: Map<string, string>;
  opened: string[];
  focus: { key: string; start: number | null; end: number | null } | null;
};

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const fieldSelector = 'input, textarea, select';

function fieldsOf(root: HTMLElement): Field[] {
  return [...root.querySelectorAll<Field>(fieldSelector)];
}

/** Fields by their order, buttons by their words: the renderer gives new element ids at every drawing. */
function keyOf(root: HTMLElement, element: Element): string | null {
  const index = [...root.querySelectorAll(fieldSelector)].indexOf(element);
  if (index >= 0) return `field:${index}`;
  return element instanceof HTMLButtonElement ? `button:${element.textContent}` : null;
}

function findByKey(root: HTMLElement, key: string): HTMLElement | undefined {
  if (key.startsWith('field:')) return fieldsOf(root)[Number(key.slice(6))];
  return [...root.querySelectorAll('button')].find((b) => `button:${b.textContent}` === key);
}

export function rememberCard(root: HTMLElement): CardMemory {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const key = active === null ? null : keyOf(root, active);
  const text = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
  return {
    values: new Map(fieldsOf(root).map((field, index) => [String(index), field.value])),
    opened: [...root.querySelectorAll('button[aria-expanded="true"]')].map(
      (b) => b.textContent ?? '',
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

/** Puts everything back that the new drawing still has. */
export function restoreCard(root: HTMLElement, memory: CardMemory): void {
  for (const title of memory.opened) {
    const button = [...root.querySelectorAll('button[aria-expanded="false"]')].find(
      (b) => b.textContent === title,
    );
    if (button instanceof HTMLButtonElement) button.click();
  }
  for (const [index, field] of fieldsOf(root).entries()) {
    const value = memory.values.get(String(index));
    if (value === undefined || value === field.value) continue;
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  if (memory.focus === null) return;
  const target = findByKey(root, memory.focus.key);
  target?.focus({ preventScroll: true });
  if (target instanceof HTMLTextAreaElement && memory.focus.start !== null) {
    target.setSelectionRange(memory.focus.start, memory.focus.end ?? memory.focus.start);
  }
}
