// `atrium pairing`: who on chat platforms may talk to the agent, and who asks to.

import type { PairingRow } from '../store/tables.ts';
import { type CliCommand, command } from './command.ts';
import { listText } from './output/format-table.ts';
import { formatAge, formatTime } from './output/format-time.ts';
import { line } from './output/text.ts';

/** A pairing as the API gives it. */
type ToldPairing = Omit<PairingRow, 'surface'>;

export const PAIRING_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'pairing list',
    summary: 'list the people on chat platforms who wait for an answer, and those who may talk',
    args: { '[channel]': 'only those of this channel, such as telegram' },
    examples: ['pairing list', 'pairing list telegram', "pairing list --json | jq -r '.pairings[].senderId'"],
    needs: 'reading',
    async run({ channel }, { client, io }) {
      const { pairings } = await client.get<{ pairings: ToldPairing[] }>('/api/pairing', { channel });
      const now = io.now().getTime();
      const columns = {
        channel: (each: ToldPairing) => each.channel,
        account: (each: ToldPairing) => each.accountId,
        sender: (each: ToldPairing) => each.senderId,
        name: (each: ToldPairing) => each.senderName ?? '',
        code: (each: ToldPairing) => each.code ?? '',
        state: (each: ToldPairing) => stateOf(each, now, io.environment.timezone),
      };
      const text = listText(pairings, columns, 'No person waits for an answer, and none was approved.');
      return { json: { pairings }, text };
    },
  }),
  command({
    path: 'pairing approve',
    summary: 'let the person talk who was told this code',
    args: { '<channel>': 'the channel, such as telegram', '<code>': 'the code that the person was told' },
    examples: ['pairing approve telegram K3F9X2MQ'],
    needs: 'gateway',
    async run({ channel, code }, { client }) {
      const body = { channel, code, from: 'cli' };
      const { pairing } = await client.post<{ pairing: ToldPairing }>('/api/pairing/approve', body);
      return { json: pairing, text: line(`${nameOf(pairing)} may talk on ${pairing.channel} now, and is told so.`) };
    },
  }),
  command({
    path: 'pairing revoke',
    summary: 'refuse a request, or take an approval back',
    args: { '<channel>': 'the channel, such as telegram', '<sender>': 'the id of the person, as the list shows it' },
    examples: ['pairing revoke telegram 123456789'],
    needs: 'gateway',
    async run({ channel, sender }, { client }) {
      const { pairings } = await client.get<{ pairings: ToldPairing[] }>('/api/pairing', { channel });
      const mayTalk = pairings.some(({ senderId, status }) => senderId === sender && status === 'approved');
      const answer = await client.post<{ revoked: number }>('/api/pairing/revoke', { channel, senderId: sender });
      const refused = `The request of ${sender} on ${channel} is refused.`;
      return { json: answer, text: line(mayTalk ? `${sender} may not talk on ${channel} any more.` : refused) };
    },
  }),
];

function stateOf({ status, expiresAt, approvedAt, approvedBy }: ToldPairing, now: number, timezone: string): string {
  if (status === 'waiting') return `waits, ${formatAge((expiresAt ?? now) - now)} left`;
  return `may talk since ${formatTime(approvedAt ?? 0, timezone)}, approved by ${approvedBy ?? 'unknown'}`;
}

function nameOf({ senderId, senderName }: ToldPairing): string {
  return senderName === null ? senderId : `${senderId} (${senderName})`;
}
