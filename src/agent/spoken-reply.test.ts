import { expect, it } from 'vitest';
import type { Inbound } from '../protocol/inbound.ts';
import { spokenReply } from './spoken-reply.ts';

const inbound = (ackMaxChars?: number): Inbound => ({
  surface: { channel: 'test', accountId: 'default', peer: { kind: 'direct', id: 'ann' } },
  sender: { id: 'heartbeat' },
  text: 'Look.',
  at: 0,
  ...(ackMaxChars === undefined ? {} : { metadata: { ackMaxChars } }),
});

it.each([
  ['HEARTBEAT_OK', ''],
  [' **HEARTBEAT_OK**\n', ''],
  ['`HEARTBEAT_OK`.', ''],
  ['HEARTBEAT_OK: all quiet.', ''],
  ['Nothing new.\n\nHEARTBEAT_OK', ''],
  ['NO_REPLY', ''],
  ['', ''],
  [`HEARTBEAT_OK ${'x'.repeat(301)}`, 'x'.repeat(301)],
  [`${'x'.repeat(301)}\nHEARTBEAT_OK`, 'x'.repeat(301)],
  ['Ben waits.', 'Ben waits.'],
  ['The token HEARTBEAT_OK stands inside.', 'The token HEARTBEAT_OK stands inside.'],
  ['HEARTBEAT_OKAY then', 'HEARTBEAT_OKAY then'],
])('of a heartbeat, %j is said as %j', (reply, spoken) => {
  expect(spokenReply({ kind: 'heartbeat', inbound: inbound() }, reply)).toBe(spoken);
});

it('takes the operator at their word about how much may go unsaid', () => {
  expect(spokenReply({ kind: 'heartbeat', inbound: inbound(0) }, 'HEARTBEAT_OK. Ben waits.')).toBe('Ben waits.');
});

it('knows the token in heartbeats only', () => {
  expect(spokenReply({ kind: 'message', inbound: inbound() }, 'HEARTBEAT_OK')).toBe('HEARTBEAT_OK');
  expect(spokenReply({ kind: 'cron', inbound: inbound() }, ' NO_REPLY ')).toBe('');
});
