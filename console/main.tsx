// The entry point of the page. The token comes from the part of the address behind the `#`, which browsers never send,
// and is removed from the address at once.

import { render } from 'preact';
import { App } from './app.tsx';
import { browserMemory } from './browser-memory.ts';
import { ChatRoom } from './chat-room.ts';
import { ConsoleState } from './console-state.ts';
import { fitViewport } from './shell/fit-viewport.ts';
import { applyTheme, theme } from './shell/theme.ts';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/chat.css';
import './style/markdown.css';
import './style/report.css';
import './style/context.css';
import './style/pages.css';
import './style/runs.css';
import './style/print.css';

const [, given] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (given) {
  browserMemory.set('token', decodeURIComponent(given));
  history.replaceState(null, '', location.pathname + location.search);
}
// Former versions kept there what was seen and how far; the gateway has that now.
browserMemory.removeAll(['visits.', 'seq.']);
applyTheme(theme.value);
visualViewport?.addEventListener('resize', () => fitViewport(window, document.documentElement));
const page = document.getElementById('page');
const state = new ConsoleState(browserMemory.get('token'));
page?.replaceChildren();
if (page) render(<App state={state} room={new ChatRoom(state)} />, page);
