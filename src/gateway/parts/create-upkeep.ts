// Builds what keeps the records in order behind the turns: how large they are, how long they are kept, and the index of receipts.

import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import type { Config } from '../../config/schema.ts';
import type { Say } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import { exportsDir } from '../bundle/exports-dir.ts';
import { ReceiptIndex } from '../services/receipts/receipt-index.ts';
import type { RecentRuns } from '../services/receipts/recent-runs.ts';
import { Housekeeping } from '../upkeep/housekeeping.ts';
import { RecordSizes } from '../upkeep/record-sizes.ts';
import { Retention } from '../upkeep/retention.ts';
import type { Records } from './create-records.ts';

export interface UpkeepOptions {
  readonly config: Config;
  readonly store: Store;
  readonly records: Pick<Records, 'recorder' | 'trajectoryDir'>;
  readonly attachments: AttachmentStore;
  /** Undefined when nothing is recorded. */
  readonly recentRuns: RecentRuns | undefined;
  readonly stateDir: string;
  /** Whether this node does now what one node does for all. */
  readonly isMine: () => boolean;
  readonly now: () => number;
  readonly warn: Say;
}

export interface Upkeep {
  readonly retention: Retention;
  readonly sizes: RecordSizes;
  readonly housekeeping: Housekeeping;
  /** Undefined when nothing is recorded. */
  readonly receiptIndex: ReceiptIndex | undefined;
}

export function createUpkeep({
  config,
  store,
  records,
  attachments,
  recentRuns,
  stateDir,
  isMine,
  now,
  warn,
}: UpkeepOptions): Upkeep {
  const { recorder, trajectoryDir } = records;
  const sizes = new RecordSizes({ store, stateDir, trajectoryDir, exportsDir: exportsDir(stateDir), now });
  const removed = () => {
    sizes.forget();
    recorder.describeAnew();
  };
  const retention = new Retention({ store, trajectoryDir, limits: config.recorder, now, removed });
  const housekeeping = new Housekeeping({ retention, attachments, sizes, isMine, warn });
  return {
    retention,
    sizes,
    housekeeping,
    receiptIndex: recentRuns && new ReceiptIndex({ store, warn, recent: recentRuns, isMine }),
  };
}
