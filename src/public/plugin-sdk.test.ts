import { describe, expect, expectTypeOf, it } from 'vitest';
import { SHARED_SYMBOLS } from '../plugins/openclaw-sdk/shared-symbols.ts';
import * as door from './plugin-sdk.ts';

describe('the door for plugin authors', () => {
  it('gives what loaded plugins get under the same names', () => {
    for (const [name, symbol] of Object.entries(door)) expect(symbol, name).toBe(SHARED_SYMBOLS[name]);
  });

  it('types handlers by the name of their hook', () => {
    door.definePluginEntry({
      id: 'typed',
      name: 'Typed',
      description: 'A plugin with types.',
      register(api) {
        expectTypeOf(api).toEqualTypeOf<door.PluginApi>();
        api.on('before_tool_call', (event, { signal }) => {
          expectTypeOf(event.toolName).toBeString();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          return event.toolName === 'exec' ? { block: true, blockReason: 'not here' } : undefined;
        });
        api.on('agent_end', async (event) => void event.success, { priority: 5, timeoutMs: 1_000 });
        // @ts-expect-error there is no such hook
        api.on('before_lunch', () => undefined);
        // @ts-expect-error a gate does not answer so
        api.on('before_tool_call', () => ({ block: 'yes' }));
      },
    });
  });
});
