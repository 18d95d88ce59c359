// Every route that a program may call, in the order of the document. The router, /openapi.json and the table in docs/api.md
// are made from this list.

import type { Route } from '../route.ts';
import { APPROVAL_ROUTES } from './approvals.ts';
import { CHAT_ROUTES } from './chat-completions.ts';
import { COMMAND_ROUTES } from './commands.ts';
import { CONTEXT_ROUTES } from './context.ts';
import { DEAD_LETTER_ROUTES } from './dead-letters.ts';
import { GATEWAY_ROUTES } from './gateway.ts';
import { HEALTH_ROUTES } from './health.ts';
import { HOOK_ROUTES } from './hooks.ts';
import { JOB_ROUTES } from './jobs.ts';
import { METHOD_ROUTES } from './methods.ts';
import { PLUGIN_ROUTES } from './plugins.ts';
import { RUN_ROUTES } from './runs.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { TOOL_ROUTES } from './tools.ts';
import { USAGE_ROUTES } from './usage.ts';

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...CHAT_ROUTES,
  ...GATEWAY_ROUTES,
  ...SESSION_ROUTES,
  ...RUN_ROUTES,
  ...APPROVAL_ROUTES,
  ...COMMAND_ROUTES,
  ...CONTEXT_ROUTES,
  ...TOOL_ROUTES,
  ...PLUGIN_ROUTES,
  ...HOOK_ROUTES,
  ...METHOD_ROUTES,
  ...USAGE_ROUTES,
  ...DEAD_LETTER_ROUTES,
  ...JOB_ROUTES,
];
