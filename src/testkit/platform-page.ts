// A small page on loopback that shows a fake chat platform as its people would see it: the places on the left, the
// conversation on the right, a line to write in. It is plain HTML without scripts; the conversation loads itself again.
// Everything that people or the bot wrote is escaped, and only forms of this page are taken.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FAKE_FAULTS, type FakeMessage, type FakePlace, type FakePlatform } from './fake-platform.ts';

export interface PlatformPage {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_FORM_BYTES = 200_000;

export async function servePlatformPage(platform: FakePlatform, port = 0): Promise<PlatformPage> {
  const server = createServer((request, response) => {
    void answer(platform, request, response).catch((error: Error) => send(response, 500, escaped(error.message)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(platform: FakePlatform, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host = '', origin } = request.headers;
  // A page of another site must not write here, nor read through a name that leads to this address.
  const isOwn = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) && (origin === undefined || origin === `http://${host}`);
  if (!isOwn) return send(response, 403, 'This page answers only itself.');
  const url = new URL(request.url ?? '/', `http://${host}`);
  const places = platform.places();
  const place = places.find(({ id }) => id === url.searchParams.get('place')) ?? places[0];
  if (!place) return send(response, 404, 'There is no place to write in.');
  if (request.method === 'POST') return act(platform, place, url, request, response);
  if (url.pathname === '/messages') return send(response, 200, messagesPage(platform, place));
  if (url.pathname === '/') return send(response, 200, mainPage(platform, places, place));
  return send(response, 404, 'There is no such page.');
}

async function act(
  platform: FakePlatform,
  place: FakePlace,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (Number(request.headers['content-length'] ?? Number.NaN) > MAX_FORM_BYTES) return send(response, 413, 'Too long.');
  const form = new URLSearchParams(await text(request));
  const said = form.get('text')?.trim() ?? '';
  const person = place.people.find((each) => each === form.get('person'));
  if (url.pathname === '/say' && said !== '') await platform.says(place.id, said, { person });
  if (url.pathname === '/press') await platform.presses(place.id, form.get('message') ?? '', form.get('label') ?? '');
  if (url.pathname === '/suffer') {
    const fault = FAKE_FAULTS.find((each) => each === form.get('fault'));
    if (fault) platform.suffer(fault);
  }
  const back = `${url.pathname === '/press' ? '/messages' : '/'}?${new URLSearchParams({ place: place.id })}`;
  response.writeHead(303, { location: back }).end();
}

function mainPage(platform: FakePlatform, places: readonly FakePlace[], place: FakePlace): string {
  const link = ({ id, name, kind }: FakePlace) =>
    `<li><a href="${query('/', id)}"${id === place.id ? ' aria-current="page"' : ''}>${MARKS[kind]} ${escaped(name)}</a></li>`;
  const people = place.people.map((name) => `<option>${escaped(name)}</option>`).join('');
  const faults = FAKE_FAULTS.map((fault) => `<button name="fault" value="${fault}">${FAULT_NAMES[fault]}</button>`);
  return page(
    `${platform.name} on this machine`,
    `<main>
<nav><h1>${escaped(platform.name)}</h1><p>A fake on this machine: nothing leaves it.</p><ul>${places.map(link).join('')}</ul>
<form method="post" action="${query('/suffer', place.id)}"><p>What may go wrong:</p>${faults.join(' ')}</form></nav>
<section><h2>${escaped(place.name)}</h2>
<iframe title="The conversation" src="${query('/messages', place.id)}"></iframe>
<form method="post" action="${query('/say', place.id)}">
<select name="person" aria-label="Who writes">${people}</select>
<input name="text" autocomplete="off" autofocus required placeholder="Write a message" aria-label="Message">
<button>Send</button></form></section>
</main>`,
  );
}

const MARKS = { direct: '@', group: '#', thread: '↳' } as const;
const FAULT_NAMES = {
  disconnect: 'cut the connection',
  limit: 'answer 429',
  break: 'answer 500',
  withhold: 'keep the receipt back',
  repeat: 'repeat an event',
} as const;

function messagesPage(platform: FakePlatform, place: FakePlace): string {
  const shown = platform.shown(place.id);
  const typing = platform.isTyping(place.id) ? '<p class="typing">is typing …</p>' : '';
  // The newest is first in the document and lowest on the screen, so that it is in sight after each load.
  const list = shown
    .map((message) => messageBlock(place, message))
    .reverse()
    .join('');
  const empty = shown.length === 0 ? '<p class="typing">Nothing was written here yet.</p>' : '';
  return page(
    place.name,
    `<div class="talk">${typing}${list}${empty}</div>`,
    '<meta http-equiv="refresh" content="1">',
  );
}

function messageBlock(place: FakePlace, { id, author, isBot, text: said, buttons, files }: FakeMessage): string {
  const press = buttons.map(
    (label) =>
      `<form method="post" action="${query('/press', place.id)}"><input type="hidden" name="message" value="${escaped(id)}"><button name="label" value="${escaped(label)}">${escaped(label)}</button></form>`,
  );
  const shown = files.map((name) => `<p class="file">📎 ${escaped(name)}</p>`).join('');
  return `<article class="${isBot ? 'bot' : 'person'}"><b>${escaped(author)}</b><p>${escaped(said)}</p>${shown}<div>${press.join('')}</div></article>`;
}

function query(path: string, place: string): string {
  return escaped(`${path}?${new URLSearchParams({ place })}`);
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${escaped(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { margin: 0; }
main { display: grid; grid-template-columns: 15rem 1fr; height: 100vh; }
nav { padding: 1rem; border-right: 1px solid #8884; overflow: auto; }
nav ul { list-style: none; padding: 0; } nav a { display: block; padding: .3rem .5rem; border-radius: .4rem; text-decoration: none; color: inherit; }
nav a[aria-current] { background: #3b82f633; } h1 { font-size: 1.2rem; margin: 0; } h2 { font-size: 1rem; margin: 0; padding: 1rem; }
nav p { color: #888; font-size: .85rem; } nav form button { margin: .15rem 0; display: block; font-size: .8rem; }
section { display: grid; grid-template-rows: auto 1fr auto; min-height: 0; } iframe { border: 0; width: 100%; height: 100%; }
section > form { display: flex; gap: .5rem; padding: 1rem; border-top: 1px solid #8884; } input[name=text] { flex: 1; min-width: 0; font: inherit; padding: .4rem; }
.talk { box-sizing: border-box; height: 100vh; overflow: auto; display: flex; flex-direction: column-reverse; gap: .6rem; padding: 0 1rem 1rem; }
article { max-width: 42rem; padding: .5rem .8rem; border-radius: .8rem; background: #8882; align-self: flex-start; } article.person { align-self: flex-end; background: #3b82f633; }
article p { margin: .2rem 0; white-space: pre-wrap; overflow-wrap: anywhere; } article div { display: flex; gap: .4rem; } .typing, .file { color: #888; font-size: .85rem; }
@media (max-width: 600px) { main { grid-template-columns: 1fr; grid-template-rows: auto 1fr; } nav { border-right: 0; border-bottom: 1px solid #8884; max-height: 30vh; } }
`;

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function send(response: ServerResponse, status: number, body: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'",
  };
  response.writeHead(status, headers).end(body);
}
