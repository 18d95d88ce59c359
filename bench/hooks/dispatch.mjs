// The runner against the floor and against libraries that call handlers one after the other and do nothing else: no
// deadline, no event of one's own, no merging, no record.

import { createHooks } from 'hookable';
import { AsyncSeriesWaterfallHook } from 'tapable';
import { HookStatistics } from '../../build/bench/parts.js';
import { inTurns, round } from './in-turns.mjs';
import { CONTEXT, EVENT, HANDLERS, HOOK, runnerWith } from './subject.mjs';

export async function measureDispatch() {
  const rows = [];
  for (const count of [0, 1, 10]) {
    for (const [kind, handler] of Object.entries(HANDLERS)) {
      if (count === 0 && kind !== 'silent') continue;
      const [floor, plain, recorded, hookable, tapable] = await inTurns([
        bareLoop(handler, count),
        atrium(handler, count),
        atrium(handler, count, recording()),
        throughHookable(handler, count),
        throughTapable(handler, count),
      ]);
      rows.push({
        handlers: count === 0 ? '0' : `${count} ${kind}`,
        floor: round(floor),
        hookable: round(hookable),
        tapable: round(tapable),
        atrium: round(plain),
        'with records': round(recorded),
        'to the floor': round(recorded / floor),
        'a handler': count === 0 ? '' : round(recorded / count),
      });
    }
  }
  return rows;
}

function bareLoop(handler, count) {
  const handlers = Array.from({ length: count }, () => handler);
  return async () => {
    let result = {};
    for (const each of handlers) result = { ...result, ...(await each(EVENT, CONTEXT)) };
    return result;
  };
}

function atrium(handler, count, settings) {
  const runner = runnerWith(handler, count, settings);
  return () => runner.run(HOOK, EVENT, CONTEXT);
}

function recording() {
  const statistics = new HookStatistics();
  return { record: (call) => statistics.count(call) };
}

function throughHookable(handler, count) {
  const hooks = createHooks();
  for (let index = 0; index < count; index++) hooks.hook(HOOK, handler);
  return async () => hooks.callHook(HOOK, EVENT, CONTEXT);
}

function throughTapable(handler, count) {
  const hook = new AsyncSeriesWaterfallHook(['event', 'context']);
  for (let index = 0; index < count; index++) hook.tapPromise(`handler-${index}`, async (event) => handler(event));
  return () => hook.promise(EVENT, CONTEXT);
}
