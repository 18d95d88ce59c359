// Every route that a program may call, in the order of the document. The router, /openapi.json and the table in docs/api.md
// are made from this list.

import type { Route } from '../route.ts';
import { APPROVAL_ROUTES } from './approvals.ts';
import { ATTACHMENT_ROUTES } from './attachments.ts';
import { BOOTSTRAP_FILE_ROUTES } from './bootstrap-files.ts';
import { CACHE_ROUTES } from './cache.ts';
import { CHANNEL_ROUTES } from './channels.ts';
import { COMMAND_ROUTES } from './commands.ts';
import { CONTEXT_ROUTES } from './context.ts';
import { DEAD_LETTER_ROUTES } from './dead-letters.ts';
import { DEBUG_ROUTES } from './debug.ts';
import { EMBEDDING_ROUTES } from './embeddings.ts';
import { FIRST_ROUTES } from './first-routes.ts';
import { GATEWAY_ROUTES } from './gateway.ts';
import { HOOK_ROUTES } from './hooks.ts';
import { JOB_ROUTES } from './jobs.ts';
import { METHOD_ROUTES } from './methods.ts';
import { METRIC_ROUTES } from './metrics.ts';
import { MODEL_ROUTES } from './models.ts';
import { NODE_ROUTES } from './nodes.ts';
import { PAIRING_ROUTES } from './pairing.ts';
import { PLUGIN_ROUTES } from './plugins.ts';
import { PULSE_ROUTES } from './pulse.ts';
import { RECEIPT_ROUTES } from './receipts.ts';
import { RECORD_ROUTES } from './records.ts';
import { RESPONSE_ROUTES } from './responses.ts';
import { RUN_ROUTES } from './runs.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SETTING_ROUTES } from './settings.ts';
import { SUBAGENT_ROUTES } from './subagents.ts';
import { TOOL_ROUTES } from './tools.ts';
import { USAGE_ROUTES } from './usage.ts';
import { WEBHOOK_ROUTES } from './webhooks.ts';

export const ROUTES: readonly Route[] = [
  ...FIRST_ROUTES,
  ...RESPONSE_ROUTES,
  ...EMBEDDING_ROUTES,
  ...WEBHOOK_ROUTES,
  ...GATEWAY_ROUTES,
  ...NODE_ROUTES,
  ...SESSION_ROUTES,
  ...MODEL_ROUTES,
  ...ATTACHMENT_ROUTES,
  ...RUN_ROUTES,
  ...RECEIPT_ROUTES,
  ...SUBAGENT_ROUTES,
  ...APPROVAL_ROUTES,
  ...CHANNEL_ROUTES,
  ...PAIRING_ROUTES,
  ...COMMAND_ROUTES,
  ...CONTEXT_ROUTES,
  ...BOOTSTRAP_FILE_ROUTES,
  ...TOOL_ROUTES,
  ...PLUGIN_ROUTES,
  ...HOOK_ROUTES,
  ...SETTING_ROUTES,
  ...METHOD_ROUTES,
  ...USAGE_ROUTES,
  ...CACHE_ROUTES,
  ...DEAD_LETTER_ROUTES,
  ...JOB_ROUTES,
  ...DEBUG_ROUTES,
  ...RECORD_ROUTES,
  ...PULSE_ROUTES,
  ...METRIC_ROUTES,
];
