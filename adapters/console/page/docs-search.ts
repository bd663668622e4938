// The search field of /docs. Without it, Enter opens the results.
const pauseMs = 150;

const field = document.querySelector<HTMLInputElement>('header input[type="search"]');
const count = document.querySelector('header output');
const main = document.querySelector('main');
const page = {
  address: location.href,
  title: document.title,
  parts: [...(main?.childNodes ?? [])],
};

let timer = 0;
let request = new AbortController();

function show(address: string, title: string, parts: Node[]): void {
  history.replaceState(null, '', address);
  document.title = title;
  main?.replaceChildren(...parts);
  scrollTo(0, 0);
}

async function search(query: string): Promise<void> {
  request.abort();
  request = new AbortController();
  if (query === '') {
    show(page.address, page.title, page.parts);
    count?.replaceChildren();
    return;
  }
  const address = `/docs/search?q=${encodeURIComponent(query)}`;
  try {
    const response = await fetch(address, { signal: request.signal });
    if (!response.ok) return;
    const found = new DOMParser().parseFromString(await response.text(), 'text/html');
    show(address, found.title, [...(found.querySelector('main')?.childNodes ?? [])]);
    const results = found.querySelectorAll('.found > li').length;
    count?.replaceChildren(`${results} ${results === 1 ? 'result' : 'results'}`);
  } catch {
    // Superseded, or offline.
  }
}

field?.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => void search(field.value.trim()), pauseMs);
});
