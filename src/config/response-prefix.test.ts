import { expect, it } from 'vitest';
import { responsePrefixOf, withPrefix } from './response-prefix.ts';
import type { Config } from './schema.ts';

const MODEL = { provider: 'openrouter', model: 'anthropic/claude-opus-4-6-20260205' };
const LIST = [{ id: 'main', identity: { name: 'Pim' } }, { id: 'plain' }];

const prefix = (config: Config, place: Partial<Parameters<typeof responsePrefixOf>[1]> = {}) =>
  responsePrefixOf(
    { agents: { list: LIST }, ...config },
    { agentId: 'main', channel: 'telegram', accountId: 'default', ...place },
    MODEL,
  );

it('is that of the account, else of the platform, else of all; an empty one ends the search', () => {
  const messages = { responsePrefix: '🦞' };
  expect(prefix({})).toBe('');
  expect(prefix({ messages })).toBe('🦞');
  const telegram = { responsePrefix: 'T', accounts: { work: { responsePrefix: 'W' }, quiet: { responsePrefix: '' } } };
  expect(prefix({ messages, channels: { telegram } })).toBe('T');
  expect(prefix({ messages, channels: { telegram } }, { accountId: 'work' })).toBe('W');
  expect(prefix({ messages, channels: { telegram } }, { accountId: 'quiet' })).toBe('');
  expect(prefix({ messages, channels: { telegram } }, { channel: 'slack' })).toBe('🦞');
});

it('fills in names in any case of letters, and leaves those that it does not know', () => {
  const messages = { responsePrefix: '{Model} {modelFull} {provider} {identity.name} {think}' };
  expect(prefix({ messages })).toBe(
    'claude-opus-4-6 openrouter/anthropic/claude-opus-4-6-20260205 openrouter Pim {think}',
  );
  expect(prefix({ messages: { responsePrefix: 'auto' } })).toBe('[Pim]');
  expect(prefix({ messages: { responsePrefix: 'auto' } }, { agentId: 'plain' })).toBe('');
});

it('stands before a text once, and before no blank one', () => {
  expect(withPrefix('🦞', 'Hello')).toBe('🦞 Hello');
  expect(withPrefix('🦞', '🦞 Hello')).toBe('🦞 Hello');
  expect(withPrefix('🦞', ' ')).toBe(' ');
  expect(withPrefix('', 'Hello')).toBe('Hello');
});
