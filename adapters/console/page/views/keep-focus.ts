// The place of the keyboard: where the element that has the focus is moved, switched off or taken away by a drawing, the focus
// goes back to it or to what is around it, never to the top of the page.

/** The focused element and its surroundings, innermost first. */
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

/** Where keyboard focus moves when its element is removed. */
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
  // The whole part may be out of sight, as on a phone.
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
  // Nothing was lost: the reader pressed empty space, or a dialog is about to take the focus.
  if (place === null || isUsable(place.element)) return;
  if (dialog !== null && !place.around.includes(dialog)) return;
  findHome(place, dialog)?.focus({ preventScroll: true });
}

/** Draws the page. What a view does about the focus itself, at once or in a microtask, comes first. */
export function drawKeepingFocus(draw: () => void): void {
  const before = document.activeElement;
  draw();
  queueMicrotask(() => putBack(before));
}

export function watchFocus(): void {
  document.addEventListener('focusin', note);
}
