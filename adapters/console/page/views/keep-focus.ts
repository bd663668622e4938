// Keeps keyboard focus near its place across drawings.

/** Innermost first. */
type Place = { element: Element; around: Element[] };

let inPage: Place | null = null;
let inDialog: Place | null = null;

function note({ target }: FocusEvent): void {
  if (!(target instanceof Element)) return;
  const around: Element[] = [];
  for (let one = target.parentElement; one !== null; one = one.parentElement) around.push(one);
  const place = { element: target, around };
  if (target.closest('dialog') === null) inPage = place;
  else inDialog = place;
}

function isUsable(element: Element | null): element is HTMLElement | SVGElement {
  return (
    (element instanceof HTMLElement || element instanceof SVGElement) &&
    element !== document.body &&
    element.isConnected &&
    !element.matches(':disabled') &&
    element.closest('[inert]') === null &&
    element.checkVisibility({ visibilityProperty: true })
  );
}

/** Fallbacks when the element is gone. */
const homes: [part: string, selector: string][] = [
  ['.step', '.step-head'],
  ['.bar-form', ':is(textarea, input, select)'],
  ['.rail', '.entry-main[tabindex="0"]'],
  ['.rail', '#inbox-search'],
  ['.rail', '.rail-views button'],
  ['.plan', '#tab-panel'],
  ['.conversation', '#messages'],
];

function* listHomes(around: Element[]): Generator<Element | null> {
  for (const one of around) {
    if (one.matches('[tabindex]')) yield one;
    for (const [part, selector] of homes) if (one.matches(part)) yield one.querySelector(selector);
  }
}

function findHome({ around }: Place, dialog: Element | null): HTMLElement | SVGElement | undefined {
  if (dialog !== null) {
    const within = listHomes(around.slice(0, around.indexOf(dialog)));
    return [...within, dialog.querySelector('button:enabled')].find(isUsable);
  }
  // On phones the part may be hidden.
  const others = ['#tab-panel', '#messages', '#inbox-search'];
  const elsewhere = others.map((selector) => document.querySelector(selector));
  return [...listHomes(around), ...elsewhere].find(isUsable);
}

function putBack(before: Element | null): void {
  if (isUsable(document.activeElement)) return;
  if (isUsable(before)) {
    before.focus({ preventScroll: true });
    return;
  }
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1) ?? null;
  const place = dialog === null ? inPage : inDialog;
  // The reader pressed empty space, or a dialog takes the focus.
  if (place === null || isUsable(place.element)) return;
  if (dialog !== null && !place.around.includes(dialog)) return;
  findHome(place, dialog)?.focus({ preventScroll: true });
}

/** A view's own focusing, at once or in a microtask, wins. */
export function drawKeepingFocus(draw: () => void): void {
  const before = document.activeElement;
  draw();
  queueMicrotask(() => putBack(before));
}

export function watchFocus(): void {
  document.addEventListener('focusin', note);
}
