// docs/channels.md has a row for each capability that a channel may declare.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TestChannel } from '../testkit/test-channel.ts';
import type { ChannelCapabilities } from './channel-capabilities.ts';

const docs = readFileSync(new URL('../../docs/channels.md', import.meta.url), 'utf8');
const capabilities: Record<keyof ChannelCapabilities, true> = {
  access: true,
  threads: true,
  reactions: true,
  edits: true,
  deletes: true,
  buttons: true,
  typing: true,
  history: true,
  directory: true,
  accounts: true,
  drafts: true,
  attachments: true,
};

it.each(Object.keys(capabilities))('the capability %s has its row, and the test channel can declare it', (name) => {
  expect(docs).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  const plain = new TestChannel();
  const able = new TestChannel({ can: [name as keyof ChannelCapabilities] });
  expect(plain[name as keyof ChannelCapabilities]).toBeUndefined();
  expect(able[name as keyof ChannelCapabilities]).toBeDefined();
});
