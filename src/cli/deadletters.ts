// `atrium deadletters`: messages and answers that were given up and wait for a person.

import { countOf } from '../protocol/count-of.ts';
import type { DeadLetterRow } from '../store/tables.ts';
import { type CliCommand, command } from './command.ts';
import { limitOption } from './common-options.ts';
import { FlagCombinationError } from './errors.ts';
import { path } from './gateway/gateway-client.ts';
import { formatFacts, listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { visibleText } from './output/text.ts';

export const DEAD_LETTER_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'deadletters list',
    summary: 'list the messages and answers that were given up',
    options: { '--limit <number>': limitOption(100) },
    examples: ['deadletters list', "deadletters list --json | jq -r '.deadLetters[].id'"],
    needs: 'reading',
    async run({ limit }, { client, io }) {
      const { deadLetters, next } = await client.get<{ deadLetters: DeadLetterRow[]; next: string | null }>(
        '/api/deadletters',
        { limit },
      );
      const text = listText(
        deadLetters,
        {
          id: (row) => row.id,
          way: (row) => row.direction,
          since: (row) => formatTime(row.createdAt, io.environment.timezone),
          session: (row) => row.sessionKey,
          why: (row) => row.reason,
        },
        'There are no dead letters.',
        next,
      );
      return { json: { deadLetters }, text };
    },
  }),
  command({
    path: 'deadletters purge',
    summary: 'remove dead letters, which cannot be undone',
    args: { '[ids...]': 'ids of dead letters' },
    options: { '--all': 'every dead letter' },
    examples: ['deadletters purge dead_0mh3k9q2x4f8c1d07a5be', 'deadletters purge --all'],
    needs: 'gateway',
    async run({ ids, all }, { client }) {
      if ((ids.length === 0) === !all) {
        throw new FlagCombinationError({ problem: 'Give either ids or --all, and not both.' });
      }
      const paths = all ? ['/api/deadletters?all=true'] : ids.map((id) => path`/api/deadletters/${id}`);
      let purged = 0;
      for (const each of paths) purged += (await client.delete<{ purged: number }>(each)).purged;
      return { json: { purged }, text: `${countOf(purged, 'dead letter')} removed.\n` };
    },
  }),
  command({
    path: 'deadletters replay',
    summary: 'send dead letters again',
    args: { '<ids...>': 'ids of dead letters' },
    examples: ['deadletters replay dead_0mh3k9q2x4f8c1d07a5be'],
    needs: 'gateway',
    async run({ ids }, { client, say }) {
      const replayed: { id: string; runId: string }[] = [];
      for (const id of ids) {
        const { runId } = await client.post<{ runId: string }>(path`/api/deadletters/${id}/replay`);
        replayed.push({ id, runId });
        say(`${id} is sent again as ${runId}.`);
      }
      return { json: { replayed } };
    },
  }),
  command({
    path: 'deadletters show',
    summary: 'show a dead letter with what it holds',
    args: { '<id>': 'the id of a dead letter' },
    examples: ['deadletters show dead_0mh3k9q2x4f8c1d07a5be'],
    needs: 'reading',
    async run({ id }, { client, io }) {
      const { deadLetter } = await client.get<{ deadLetter: DeadLetterRow }>(path`/api/deadletters/${id}`);
      const facts = formatFacts([
        ['id', deadLetter.id],
        ['what', deadLetter.direction === 'in' ? 'a message that was not answered' : 'an answer that was not sent'],
        ['why', deadLetter.reason],
        ['since', formatTime(deadLetter.createdAt, io.environment.timezone)],
        ['session', deadLetter.sessionKey],
        ['run', deadLetter.runId],
      ]);
      return { json: deadLetter, text: `${facts}${visibleText(JSON.stringify(deadLetter.payload, null, 2))}\n` };
    },
  }),
];
