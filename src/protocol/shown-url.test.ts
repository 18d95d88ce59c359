import { expect, it } from 'vitest';
import { shownUrl } from './shown-url.ts';

it.each([
  ['https://ana:pass@host.example:8443/v1?token=hunter2#hunter2', 'https://host.example:8443/v1?…'],
  ['https://host.example/v1', 'https://host.example/v1'],
  ['/login?next=hunter2', '/login?…'],
  ['//ana:hunter2@host.example/x', 'http://host.example/x'],
  ['wss://host.example/x?key=hunter2', 'wss://host.example/x?…'],
  ['mailto:hunter2@host.example', 'mailto:…'],
  ['http://[hunter2', undefined],
])('%s is shown as %s', (address, shown) => {
  expect(shownUrl(address)).toBe(shown);
});
