// Keeps the latest message in sight unless the reader scrolled up.
// Messages taller than the column show their beginning.

const room = 12;
/** Pixels from the end that count as the end. */
const near = 24;

let known = { conversation: '', messages: 0 };
/** `start`: where this module put it. */
let reader: 'start' | 'end' | 'away' = 'start';
/** Set by this module; other positions are the reader's. */
let placed = 0;
let watched: HTMLElement | null = null;

const endOf = (list: HTMLElement) => list.scrollHeight - list.clientHeight;

/** The end, the top of an overlong last message, or of the welcome. */
function findPlace(list: HTMLElement): number {
  const end = endOf(list);
  const last = [...list.querySelectorAll<HTMLElement>('.message')].at(-1);
  if (last === undefined) return 0;
  const top = list.scrollTop + last.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return Math.max(0, Math.min(end, top - room));
}

function place(list: HTMLElement, top: number): void {
  list.scrollTop = top;
  placed = list.scrollTop;
}

function showLatest(list: HTMLElement): void {
  place(list, findPlace(list));
  reader = 'start';
}

function noticeReader(list: HTMLElement): void {
  if (Math.abs(list.scrollTop - placed) <= 2) return;
  placed = list.scrollTop;
  reader = endOf(list) - list.scrollTop <= near ? 'end' : 'away';
}

/** Keeps the place when content resizes, unless an opened part was scrolled to. */
function followSize(list: HTMLElement): void {
  noticeReader(list);
  if (reader === 'start') place(list, findPlace(list));
  else if (reader === 'end') place(list, endOf(list));
}

function watch(list: HTMLElement): void {
  if (watched === list) return;
  watched = list;
  list.addEventListener('scroll', () => noticeReader(list));
  const grown = new ResizeObserver(() => followSize(list));
  if (list.firstElementChild !== null) grown.observe(list.firstElementChild);
}

/** Scrolls after the drawing. */
export function stickToEnd(conversation: string, messages: number): void {
  const other = conversation !== known.conversation;
  const added = other || messages !== known.messages;
  known = { conversation, messages };
  if (other) reader = 'start';
  requestAnimationFrame(() => {
    const list = document.getElementById('messages');
    if (list === null) return;
    watch(list);
    if (added && reader !== 'away') showLatest(list);
  });
}

/** Call after the person sends something. */
export function returnToLatest(): void {
  const list = document.getElementById('messages');
  if (list !== null) showLatest(list);
}
