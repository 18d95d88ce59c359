// The routes that a gateway has when it is ready: chat, which is asked most, and health, which is asked by those who wait until it
// is ready. The others are loaded a moment later, or by the first request that needs them.

import type { Route } from '../route.ts';
import { CHAT_ROUTES } from './chat-completions.ts';
import { HEALTH_ROUTES } from './health.ts';

export const FIRST_ROUTES: readonly Route[] = [...HEALTH_ROUTES, ...CHAT_ROUTES];
