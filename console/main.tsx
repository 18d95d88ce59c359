// The entry point of the page. The token comes from the part of the address behind the `#`, which browsers never send,
// and is removed from the address at once.

import { render } from 'preact';
import { App } from './app.tsx';
import { browserMemory } from './browser-memory.ts';

const [, given] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (given) {
  browserMemory.set('token', decodeURIComponent(given));
  history.replaceState(null, '', location.pathname);
}
const page = document.getElementById('page');
if (page) render(<App token={browserMemory.get('token')} />, page);
