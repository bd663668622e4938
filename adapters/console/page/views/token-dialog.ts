// Offers sign-in or asks for the token, once.
import { html, render } from '../lit.ts';
import { change } from '../live/store.ts';

type SignIn = { name: string; label: string };

/** None if the server lists none. */
async function readSignIns(): Promise<SignIn[]> {
  const response = await fetch('/api/sign-in').catch(() => null);
  if (response?.ok !== true) return [];
  const { providers }: { providers: SignIn[] } = await response.json();
  return providers;
}

function drawSignIns(signIns: SignIn[]) {
  const back = encodeURIComponent(location.pathname + location.search + location.hash);
  return html`<h2>Sign in</h2>
    ${signIns.map(({ name, label }) => html`<p><a href=${`/sign-in/${name}?back=${back}`}>Continue with ${label}</a></p>`)}`;
}

function drawForm(save: (token: string) => void) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const field = document.querySelector<HTMLInputElement>('#token');
    if (field !== null && field.value.trim() !== '') save(field.value.trim());
  };
  return html`<form @submit=${submit}>
    <h2>This server needs a token</h2>
    <p>It is the value of <code>COUNTERSIGN_API_TOKEN</code>. This tab remembers it until you close it.</p>
    <label for="token">Token</label>
    <input id="token" type="password" autocomplete="current-password" required />
    <button class="primary">Continue</button>
  </form>`;
}

export function askForToken(): Promise<string> {
  const dialog = document.createElement('dialog');
  dialog.className = 'token-dialog';
  change((s) => {
    s.tokenWanted = true;
  });
  return new Promise((resolve) => {
    const save = (token: string) => {
      // Closing first restores the focus.
      dialog.close();
      dialog.remove();
      change((s) => {
        s.tokenWanted = false;
      });
      resolve(token);
    };
    render(drawForm(save), dialog);
    void readSignIns().then((signIns) => {
      if (signIns.length > 0) render(drawSignIns(signIns), dialog);
    });
    // Nothing can be shown without a token.
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
  });
}
