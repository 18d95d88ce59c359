// The limits on what is recorded, as a part of the gateway that follows the configuration. New limits hold for the next
// record and for the next round of the housekeeping, so a mistake can be taken back before something is removed.
// Whether and where is recorded (`recorder.enabled`, `recorder.trajectory.enabled` and `.dir`) is read at the start only.

import type { Recorder } from '../../recorder/recorder.ts';
import type { GatewayPart } from '../gateway-part.ts';
import type { Retention } from './retention.ts';

const LIMITS = [
  'approvals',
  'captures',
  'children',
  'hookRecords',
  'messages',
  'trajectory.maxBytes',
  'trajectory.maxDays',
  'trajectory.maxTotalBytes',
  'transcripts',
  'usage',
];

export interface RecordLimitsParts {
  readonly retention: Pick<Retention, 'apply'>;
  readonly recorder: Pick<Recorder, 'limit'>;
}

export function recordLimits({ retention, recorder }: RecordLimitsParts): GatewayPart {
  return {
    name: 'the limits on what is recorded',
    reads: LIMITS.map((key) => `recorder.${key}`),
    reopen: async ({ config: { recorder: limits } }) => {
      retention.apply(limits);
      recorder.limit({ fileBytes: limits?.trajectory?.maxBytes, hookRecords: limits?.hookRecords?.maxRows });
    },
  };
}
