// The operator on a chat platform: `commands.ownerAllowFrom` makes a person the operator in their own direct conversation,
// and nowhere else.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';
import type { TestPlace } from '../testkit/test-channel.ts';

function owned(session: object = {}, more: object = {}): Promise<ScratchGateway> {
  const config = { commands: { ownerAllowFrom: ['test:ann', 'other:bob'] }, session, ...more };
  return gatewayForTest({ config, channel: { can: ['access', 'buttons', 'threads'] } });
}

/** The names of the tools that a message at this place is offered. */
async function toolsAt(scratch: ScratchGateway, place: TestPlace): Promise<readonly string[]> {
  scratch.model.script([reply('Well.')]);
  await scratch.channel.says(place, 'hi');
  await scratch.channel.expectDelivered('Well.', place);
  const tools = (scratch.model.requests.at(-1)?.json.tools ?? []) as readonly { readonly function: JsonObject }[];
  return tools.map((tool) => String(tool.function.name));
}

describe('tools that are the operator’s only', () => {
  it('are offered to an owner in their own direct conversation, and to no other person and nowhere else', async () => {
    const scratch = await owned();
    expect(await toolsAt(scratch, { sender: 'ann' })).toContain('cron');
    expect(await toolsAt(scratch, { sender: 'ann', thread: 't1' })).toContain('cron');
    for (const place of [
      { sender: 'bob' },
      { sender: 'ann', group: 'g' },
      { sender: 'ann', channel: 'c', thread: 't' },
    ]) {
      expect(await toolsAt(scratch, place)).not.toContain('cron');
    }
  });

  it.each([
    { dmScope: 'main' },
    { dmScope: 'per-peer' },
    { scope: 'global' },
    { identityLinks: { team: ['test:ann'] } },
  ])('are not offered where others may reach the session: %j', async (session) => {
    expect(await toolsAt(await owned(session), { sender: 'ann' })).not.toContain('cron');
  });
});

it('an owner may answer approvals of other sessions from their own conversation, and not from a group', async () => {
  const scratch = await owned();
  const { channel, model } = scratch;
  model.script([toolCall('exec', { command: 'touch x | cat' }), reply('Done.')]);
  await channel.says({ sender: 'bob', group: 'g' }, 'make x');
  await channel.expectDelivered(/Approval needed/, { group: 'g' });
  const [approval] = await scratch.store.select('approvals');
  const answer = `/approve ${approval?.id} allow-once`;
  await channel.says({ sender: 'ann', group: 'g' }, answer);
  await channel.expectDelivered(/You may not answer approvals here/, { group: 'g' });
  await channel.says({ sender: 'carl' }, answer);
  await channel.expectDelivered(/There is no approval/, { sender: 'carl' });
  await channel.says({ sender: 'ann' }, answer);
  await channel.expectDelivered(/allowed/, { sender: 'ann' });
});

it('an entry that counts for no person is named in the status', async () => {
  const scratch = await gatewayForTest({ config: { commands: { ownerAllowFrom: ['123'] } } });
  expect((await scratch.services.status()).warnings.join()).toContain('commands.ownerAllowFrom counts for no person');
});
