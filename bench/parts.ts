// The parts of the product that benchmarks use directly. They are built into `build/bench/parts.js`, bundled as the
// product is, so that what is measured is what runs.

export { readEnvironment } from '../src/config/environment.ts';
export { loadConfig } from '../src/config/load-config.ts';
export { CachedFileSource } from '../src/context/sources/file-source.ts';
export { ContextEngine } from '../src/gateway/composer/context-engine.ts';
export { createRecords } from '../src/gateway/parts/create-records.ts';
export { findReceipts } from '../src/gateway/services/receipts/find-receipts.ts';
export { ReceiptIndex } from '../src/gateway/services/receipts/receipt-index.ts';
export { startGateway } from '../src/gateway/start-gateway.ts';
export { HookStatistics } from '../src/hooks/hook-statistics.ts';
export { frozenCopy, isolatedEvent } from '../src/hooks/isolated-copy.ts';
export { HookRunner } from '../src/hooks/runner.ts';
export { WorkerPlugins } from '../src/plugins/isolation/worker-plugins.ts';
export { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts';
export { RULE, recordedRun } from './receipts/recorded-runs.ts';
