import { expect, it } from 'vitest';
import { serverAddress } from './gather-answers.ts';

it.each([
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['localhost:1234/v1', 'http://localhost:1234/v1'],
  ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ['models.example.org', 'http://models.example.org'],
  ['https://models.example.org/v1', 'https://models.example.org/v1'],
  ['ftp://models.example.org', undefined],
  ['what is this', undefined],
  ['', undefined],
])('the address %j of a server is read as %j', (text, address) => {
  expect(serverAddress(text)).toBe(address);
});
