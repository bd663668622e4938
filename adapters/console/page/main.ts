// Starts the page: draws it whenever the state changes, and shows what the address names.
import { render } from 'lit-html';
import { onTokenNeeded } from './live/api.ts';
import { followAddress } from './live/navigation.ts';
import { onChange, state } from './live/store.ts';
import { startWatching } from './live/watch.ts';
import { drawApp } from './views/app.ts';
import { askForToken } from './views/token-dialog.ts';
import './cards/plan-card.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no #app to draw into.');

onChange(() => render(drawApp(state), root));
onTokenNeeded(askForToken);
addEventListener('popstate', () => void followAddress());
void followAddress();
startWatching();
