// What a gateway has besides its other parts when several nodes share one store. It is loaded only then.

export { SharedOutbox } from '../../delivery/shared-outbox.ts';
export { Chores } from './chores.ts';
export { EndedRuns } from './ended-runs.ts';
export { SharedConfig } from './shared-config.ts';
export { SharedDebug } from './shared-debug.ts';
export { SharedEvents } from './shared-events.ts';
export { SharedPlatform } from './shared-platform.ts';
