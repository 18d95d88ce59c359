import { expect, it } from 'vitest';
import { CHANNEL_EXTENSIONS } from '../../gateway/channels/channel-extensions.ts';
import { gatherAnswers, type Surroundings, serverAddress } from './gather-answers.ts';

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

it('writes nothing about a chat platform that does not take the token of a script', async () => {
  const asked: unknown[] = [];
  const around: Surroundings = {
    config: {},
    variables: { TELEGRAM_BOT_TOKEN: ' 123456:of-ada ' },
    openClawHome: undefined,
    found: [],
    platforms: CHANNEL_EXTENSIONS,
    serviceManager: undefined,
    listModels: async () => [],
    tryModel: async () => {
      throw new Error('No model is asked for here.');
    },
    tryTokens: async ({ id }, tokens) => {
      asked.push([id, tokens]);
      return 'The token was revoked.';
    },
  };
  const flags = { model: 'mirror', channel: 'telegram', test: true };
  await expect(gatherAnswers({ ...flags, test: false }, around, undefined)).resolves.toMatchObject({
    channel: { row: { id: 'telegram' }, tokens: {} },
  });
  await expect(gatherAnswers(flags, around, undefined)).rejects.toThrow(
    'Telegram does not take what TELEGRAM_BOT_TOKEN says, so nothing was written. The token was revoked.',
  );
  expect(asked).toEqual([['telegram', { botToken: '123456:of-ada' }]]);
});
