// The published packages that are tried, pinned.

import type { PackageCheck } from './package-check.ts';
import { advancedBootstrap } from './packages/advanced-bootstrap.ts';
import { agentPermissions } from './packages/agent-permissions.ts';
import { berryShield } from './packages/berry-shield.ts';
import { emberclaw } from './packages/emberclaw.ts';
import { example } from './packages/example.ts';
import { kitchenSink } from './packages/kitchen-sink.ts';
import { markdownStrip } from './packages/markdown-strip.ts';
import { mem0 } from './packages/mem0.ts';
import { natsEventstore } from './packages/nats-eventstore.ts';
import { provenance } from './packages/provenance.ts';
import { sentinel } from './packages/sentinel.ts';
import { weatherclaw } from './packages/weatherclaw.ts';

export const PACKAGES: readonly PackageCheck[] = [
  kitchenSink,
  markdownStrip,
  provenance,
  agentPermissions,
  berryShield,
  mem0,
  natsEventstore,
  emberclaw,
  example,
  weatherclaw,
  advancedBootstrap,
  sentinel,
];
