import { describe, expect, it } from 'vitest';
import type { PluginRegistration, PluginTool } from '../../plugins/registration.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { toolContextForTest } from '../../testkit/tool-context.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import { PluginTools } from './plugin-tools.ts';

const SCOPE = { agentId: 'main', sessionKey: 'agent:main:main' };

function tool(name: string, changes: Partial<PluginTool> = {}): PluginTool {
  return {
    name,
    description: `does ${name}`,
    parameters: { type: 'object', properties: {} },
    execute: () => ({ content: [{ type: 'text', text: `${name} was here` }] }),
    ...changes,
  };
}

function registration(
  make: Extract<PluginRegistration, { kind: 'tool' }>['make'],
  optional = false,
): PluginRegistration {
  return { kind: 'tool', names: [], optional, isDeclared: true, make };
}

function own(name: string): Tool {
  return { name, description: '', parameters: {}, idempotent: true, run: async () => ({ content: 'own' }) };
}

function toolsOf(registry: ReturnType<typeof registryOf>, memoryHolder?: string) {
  const warnings: string[] = [];
  let now = 0;
  const tools = new PluginTools({
    registry,
    memoryHolder: () => memoryHolder,
    now: () => now,
    warn: (sentence) => warnings.push(sentence),
  });
  return {
    warnings,
    later: (ms: number) => {
      now += ms;
    },
    names: async (owned: readonly Tool[] = []) => (await tools.join(owned, SCOPE)).map(({ name }) => name),
    join: (owned: readonly Tool[] = []) => tools.join(owned, SCOPE),
  };
}

describe('the tools of plugins', () => {
  it('have the same parameters in every session, so that what is made from them is made once', async () => {
    const parameters = () => ({
      type: 'object',
      properties: { note: { type: 'string', description: 'x'.repeat(900) } },
    });
    const registry = registryOf({
      id: 'dice',
      registrations: [registration(() => [tool('roll', { parameters: parameters() })])],
    });
    const tools = new PluginTools({ registry, memoryHolder: () => undefined, now: () => 0, warn: () => {} });
    const [here] = await tools.join([], SCOPE);
    const [there] = await tools.join([], { ...SCOPE, sessionKey: 'agent:main:other' });
    expect(here?.parameters).toEqual(parameters());
    expect(there?.parameters).toBe(here?.parameters);
  });

  it('are no more than a run can bear, however they are registered', async () => {
    let asked = 0;
    const many = Array.from({ length: 400 }, (_, at) =>
      registration(() => {
        asked += 1;
        return Array.from({ length: 4 }, (_, index) => tool(`t${at}_${index}`));
      }),
    );
    const nice = { id: 'nice', registrations: [registration(() => [tool('roll')])] };
    const { names, warnings } = toolsOf(registryOf({ id: 'greedy', registrations: many }, nice));
    const offered = await names();
    expect(asked).toBe(256);
    expect(offered).toHaveLength(513);
    expect(offered).toContain('roll');
    await names();
    expect(warnings).toEqual([expect.stringContaining('The plugin "greedy" has more than 512 tools')]);
  });

  it('are waited for while other plugins keep theirs from working, and no longer than their own time', async () => {
    let isHeldUp = true;
    const slow = () => new Promise<readonly PluginTool[]>((made) => setTimeout(made, 300, [tool('roll')]));
    const waiting = { ...registration(slow), isHeldUp: () => isHeldUp };
    const idle = registration(() => new Promise(() => {}));
    const registry = registryOf({ id: 'dice', registrations: [waiting] }, { id: 'idle', registrations: [idle] });
    const warnings: string[] = [];
    const tools = new PluginTools({
      registry,
      memoryHolder: () => undefined,
      now: () => 0,
      warn: (sentence) => warnings.push(sentence),
      factoryMs: 50,
    });
    expect((await tools.join([], SCOPE)).map(({ name }) => name)).toEqual(['roll']);
    expect(warnings).toEqual([expect.stringContaining('The plugin "idle" could not give its tools')]);
    isHeldUp = false;
    expect(await tools.join([], { ...SCOPE, sessionKey: 'agent:main:other' })).toEqual([]);
  });

  it('join those of the product, with their plugin as owner', async () => {
    const scopes: unknown[] = [];
    const registry = registryOf({
      id: 'dice',
      registrations: [
        registration((scope) => {
          scopes.push(scope);
          return [tool('roll'), tool('flip')];
        }, true),
      ],
    });
    const [read, roll, flip] = await toolsOf(registry).join([own('read')]);
    expect([read?.owner, roll?.owner, flip?.owner]).toEqual([undefined, 'dice', 'dice']);
    expect(roll).toMatchObject({ name: 'roll', description: 'does roll', idempotent: false, isOptional: true });
    expect(scopes).toEqual([SCOPE]);
  });

  it('never take a name that the product or an earlier plugin has, and the operator hears of both', async () => {
    const { names, warnings } = toolsOf(
      registryOf(
        { id: 'first', registrations: [registration(() => [tool('read'), tool('greet')])] },
        { id: 'second', registrations: [registration(() => [tool('Greet'), tool('wave')])] },
      ),
    );
    expect(await names([own('read')])).toEqual(['read', 'greet', 'wave']);
    await names([own('read')]);
    expect(warnings).toEqual([
      'The tool "read" of the plugin "first" is refused, because Atrium has one of this name already.',
      'The tool "Greet" of the plugin "second" is refused, because "first" has one of this name already.',
    ]);
  });

  it('take the place of the memory tools when their plugin is the memory, and only then', async () => {
    const memory = { id: 'recall', registrations: [registration(() => [tool('memory_search')])] };
    const [owner] = await toolsOf(registryOf(memory), 'recall').join([own('memory_search')]);
    expect(owner?.owner).toBe('recall');
    const [kept] = await toolsOf(registryOf(memory), 'other').join([own('memory_search')]);
    expect(kept?.owner).toBeUndefined();
    const other = { id: 'recall', registrations: [registration(() => [tool('read')])] };
    expect((await toolsOf(registryOf(other), 'recall').join([own('read')])).map((each) => each.owner)).toEqual([
      undefined,
    ]);
  });

  it('are not missed by others when a factory throws or answers nonsense', async () => {
    const { names, warnings } = toolsOf(
      registryOf({
        id: 'mixed',
        registrations: [
          registration(() => {
            throw new Error('no key\u001b[31m');
          }),
          registration(() => [{ name: 'bad name' }, { name: 'idle' }, 7, null, tool('fine')] as never),
          registration(() => null as never),
        ],
      }),
    );
    expect(await names()).toEqual(['fine']);
    expect(warnings.sort()).toEqual([
      'A tool of the plugin "mixed" is not offered: idle has no execute function.',
      'A tool of the plugin "mixed" is not offered: it is no object.',
      'A tool of the plugin "mixed" is not offered: its name "bad name" is not one of up to 64 letters, digits, dashes and underscores.',
      'The plugin "mixed" could not give its tools: no key',
    ]);
  });

  it('are asked for once in a while, and at once when the plugin was loaded again', async () => {
    let asked = 0;
    const dice = () => ({
      id: 'dice',
      registrations: [
        registration(() => {
          asked += 1;
          return [tool(`roll${asked}`)];
        }),
      ],
    });
    const registry = registryOf(dice());
    const { names, later } = toolsOf(registry);
    expect([await names(), await names()]).toEqual([['roll1'], ['roll1']]);
    later(11_000);
    expect(await names()).toEqual(['roll2']);
    await registry.load(dice());
    expect(await names()).toEqual(['roll3']);
    await registry.unload('dice');
    expect(await names()).toEqual([]);
  });

  it('have schemas of plain data', async () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle.self = circle;
    const [typed, untyped, odd] = [
      tool('typed', { parameters: { type: 'object', [Symbol('kind')]: 'Object', properties: {} } as never }),
      tool('untyped', { parameters: { properties: { a: { type: 'string' } } } }),
      tool('odd', { parameters: circle as never }),
    ];
    const { join, warnings } = toolsOf(
      registryOf({ id: 'p', registrations: [registration(() => [typed, untyped, odd])] }),
    );
    const [first, second, third] = await join();
    expect(Object.getOwnPropertySymbols(first?.parameters ?? {})).toEqual([]);
    expect(second?.parameters).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(third).toBeUndefined();
    expect(warnings).toEqual([
      'A tool of the plugin "p" is not offered: the parameters of odd nest too deeply, or in a circle.',
    ]);
  });
});

describe('a call of such a tool', () => {
  async function call(execute: PluginTool['execute']) {
    const registry = registryOf({ id: 'p', registrations: [registration(() => [tool('t', { execute })])] });
    const [made] = await toolsOf(registry).join();
    if (!made) throw new Error('there is no tool');
    return runTool(made, { a: 1 }, toolContextForTest({ workspaceDir: '/tmp', toolCallId: 'call-7' }));
  }

  it('is given its id, its parameters and a signal', async () => {
    const seen: unknown[] = [];
    await call((id, params, signal) => {
      seen.push(id, params, signal.aborted);
      return { content: [] };
    });
    expect(seen).toEqual(['call-7', { a: 1 }, false]);
  });

  it('answers with text, keeps the details apart, and names what cannot be shown', async () => {
    const output = await call(() => ({
      content: [{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text', text: 'two' }],
      details: { cost: 3 },
    }));
    expect(output).toEqual({ content: 'one\n[image, 0 bytes; not shown]\ntwo', details: { cost: 3 } });
    expect(await call(() => ({ content: [{ type: 'text', text: 'no' }], isError: true }))).toEqual({
      content: 'no',
      isError: true,
    });
  });

  it('may answer with a plain text or a plain object', async () => {
    expect(await call(() => 'just text' as never)).toEqual({ content: 'just text' });
    expect(await call(() => ({ ok: 1 }) as never)).toEqual({ content: '{"ok":1}' });
    expect(await call(() => undefined as never)).toEqual({ content: '[The tool returned nothing.]' });
  });

  it('is an error that the model reads when it throws', async () => {
    expect(await call(() => Promise.reject(new Error('no luck')))).toEqual({ content: 'no luck', isError: true });
  });
});
