// Keeps the latest message in sight, unless the reader has scrolled up to read. A message that is taller than the
// column is shown from its beginning: what a person needs in order to decide stands first.

const room = 12;

let known = 0;
let follows = true;
/** Where this module last put the column; any other place is the reader's doing. */
let placed = 0;
let watched: HTMLElement | null = null;

/** Where the column should stand: at its end, or at the top of a last message that does not fit. */
function findPlace(list: HTMLElement): number {
  const end = list.scrollHeight - list.clientHeight;
  const last = [...list.querySelectorAll<HTMLElement>('.message')].at(-1);
  if (last === undefined) return end;
  const top = list.scrollTop + last.getBoundingClientRect().top - list.getBoundingClientRect().top;
  return Math.max(0, Math.min(end, top - room));
}

function follow(list: HTMLElement): void {
  if (!follows) return;
  list.scrollTop = findPlace(list);
  placed = list.scrollTop;
}

function watch(list: HTMLElement): void {
  if (watched === list) return;
  watched = list;
  list.addEventListener('scroll', () => {
    if (Math.abs(list.scrollTop - placed) <= 2) return;
    follows = list.scrollHeight - list.scrollTop - list.clientHeight < room;
  });
  const grown = new ResizeObserver(() => follow(list));
  if (list.firstElementChild !== null) grown.observe(list.firstElementChild);
}

/** Call when drawing; scrolls after the drawing is on the page. */
export function stickToEnd(messages: number): void {
  const added = messages !== known;
  known = messages;
  requestAnimationFrame(() => {
    const list = document.getElementById('messages');
    if (list === null) return;
    watch(list);
    if (added) follow(list);
  });
}
