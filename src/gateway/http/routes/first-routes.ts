// The routes that a gateway has when it is ready: those that are asked most, and by those who wait for a start. The others
// are loaded with the framework, by the first request that needs it.

import type { Route } from '../route.ts';
import { CHAT_ROUTES } from './chat-completions.ts';
import { HEALTH_ROUTES } from './health.ts';

export const FIRST_ROUTES: readonly Route[] = [...HEALTH_ROUTES, ...CHAT_ROUTES];
