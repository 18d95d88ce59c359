// The limits on what is recorded, as a part of the gateway that follows the configuration. New limits hold for the next
// record and for the next round of the housekeeping, so a mistake can be taken back before something is removed.
// Whether and where is recorded (`recorder.enabled`, `recorder.trajectory.enabled` and `.dir`) is read at the start only.

import type { Config } from '../config/schema.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { GatewayPart } from './gateway-part.ts';
import type { Retention } from './retention.ts';

export interface RecordLimitsParts {
  readonly retention: Pick<Retention, 'apply'>;
  readonly recorder: Pick<Recorder, 'limit'>;
}

export function recordLimits({ retention, recorder }: RecordLimitsParts): GatewayPart {
  return {
    name: 'the limits on what is recorded',
    reads: ['captures', 'hookRecords', 'messages', 'approvals', 'children', 'usage', 'transcripts'].map(
      (key) => `recorder.${key}`,
    ),
    sharesReading: ['recorder.trajectory'],
    follows: (path, start, changed) => path === 'recorder.trajectory' && placeOf(start) === placeOf(changed),
    reopen: async ({ config: { recorder: limits } }) => {
      retention.apply(limits);
      recorder.limit({ fileBytes: limits?.trajectory?.maxBytes, hookRecords: limits?.hookRecords?.maxRows });
    },
  };
}

/** Whether and where trajectories are written. */
function placeOf({ recorder }: Config): string {
  const { enabled = true, dir } = recorder?.trajectory ?? {};
  return JSON.stringify([enabled, dir]);
}
