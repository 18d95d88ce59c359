// `atrium deadletters purge`: removes dead letters for good.

import { countOf } from '../protocol/count-of.ts';
import type { AddCommand } from './commands.ts';
import { deadLettersGroup } from './deadletters-group.ts';
import { FlagCombinationError } from './errors.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';

interface PurgeFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

export const addDeadLettersPurge: AddCommand = (program, io) => {
  deadLettersGroup(program)
    .command('purge')
    .argument('[ids...]', 'ids of dead letters')
    .description('remove dead letters, which cannot be undone')
    .option('--all', 'every dead letter')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium deadletters purge dead_0mh3k9q2x4f8c1d07a5be
  $ atrium deadletters purge --all

Needs a running gateway.`,
    )
    .action(async (ids: string[], flags: PurgeFlags) => {
      if ((ids.length === 0) === !flags.all) {
        throw new FlagCombinationError({ problem: 'Give either ids or --all, and not both.' });
      }
      const client = await openGatewayClient(io);
      const paths = flags.all
        ? ['/api/deadletters?all=true']
        : ids.map((id) => `/api/deadletters/${encodeURIComponent(id)}`);
      let purged = 0;
      for (const path of paths) purged += (await client.delete<{ purged: number }>(path)).purged;
      io.out(flags.json ? `${JSON.stringify({ purged }, null, 2)}\n` : `${countOf(purged, 'dead letter')} removed.\n`);
    });
};
