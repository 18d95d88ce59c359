import { describe, expect, it } from 'vitest';
import { admitHook, type HookApplicant, withoutPromptFields } from './admit-hook.ts';

const plugin = (hooks: HookApplicant['hooks'] = {}, origin: HookApplicant['origin'] = 'installed'): HookApplicant => ({
  id: 'nice',
  origin,
  hooks,
});

describe('a handler of a plugin', () => {
  it('is registered for a hook that there is', () => {
    expect(admitHook(plugin(), 'before_tool_call', { priority: 5 })).toMatchObject({
      kind: 'registered',
      hook: 'before_tool_call',
      priority: 5,
      note: undefined,
    });
  });

  it('is refused for one that there is not, with the name that was probably meant', () => {
    const { kind, note } = admitHook(plugin(), 'before_toolcall');
    expect(kind).toBe('refused');
    expect(note).toMatchObject({ level: 'warn', code: 'refused-hook' });
    expect(note?.message).toContain('"before_tool_call"');
    expect(admitHook(plugin(), 'something else entirely').note?.message).toContain('atrium docs hooks');
    for (const name of ['agent:bootstrap', 'constructor', '__proto__', 'toString', '']) {
      expect(admitHook(plugin(), name).kind, name).toBe('refused');
    }
  });

  it('is given for the hooks of children', () => {
    expect(admitHook(plugin(), 'subagent_ended')).toMatchObject({ kind: 'registered', hook: 'subagent_ended' });
  });

  it('sees conversations only where the operator says so', () => {
    const blocked = admitHook(plugin(), 'llm_input');
    expect(blocked).toMatchObject({ kind: 'blocked', note: { level: 'warn', code: 'blocked-hook' } });
    expect(blocked.note?.message).toContain('plugins.entries.nice.hooks.allowConversationAccess');
    expect(admitHook(plugin({ allowConversationAccess: true }), 'llm_input').kind).toBe('registered');
    expect(admitHook(plugin({}, 'bundled'), 'llm_input').kind).toBe('registered');
    expect(admitHook(plugin({ allowConversationAccess: false }, 'bundled'), 'llm_input').kind).toBe('blocked');
  });

  it('adds to prompts unless the operator says no', () => {
    const no = plugin({ allowPromptInjection: false });
    expect(admitHook(plugin(), 'before_prompt_build').kind).toBe('registered');
    expect(admitHook(no, 'before_prompt_build').note?.message).toContain('allowPromptInjection');
    expect(admitHook(no, 'before_prompt_build').kind).toBe('blocked');
    expect(admitHook(no, 'before_agent_start')).toMatchObject({
      kind: 'registered',
      losesPromptFields: true,
      note: { code: 'permission' },
    });
    expect(withoutPromptFields({ modelOverride: 'm', systemPrompt: 's', appendContext: 'a' })).toEqual({
      modelOverride: 'm',
    });
    expect(withoutPromptFields(undefined)).toBe(undefined);
  });

  it('has the deadline that the operator gave the hook, else the plugin, else its own, else the catalog', () => {
    const deadline = (hooks: HookApplicant['hooks'], timeoutMs?: number) => {
      const admission = admitHook(plugin(hooks), 'before_tool_call', { timeoutMs });
      return 'timeoutMs' in admission ? [admission.timeoutMs, admission.timeoutFrom] : [undefined, undefined];
    };
    const operator = { timeoutMs: 200, timeouts: { before_tool_call: 100 } };
    expect(deadline(operator, 300)).toEqual([100, 'operator']);
    expect(deadline({ timeoutMs: 200, timeouts: { agent_end: 1 } }, 300)).toEqual([200, 'operator']);
    expect(deadline({}, 300.9)).toEqual([300, 'plugin']);
    expect(deadline({}, 999_999)).toEqual([999_999, 'plugin']);
    for (const nonsense of [Number.NaN, -1, 0, 0.5, Number.POSITIVE_INFINITY, 'soon' as unknown as number]) {
      expect(deadline({}, nonsense), String(nonsense)).toEqual([undefined, undefined]);
    }
  });

  it('may use the older name of gateway_stop', () => {
    expect(admitHook(plugin({ timeouts: { gateway_stop: 7, deactivate: 8 } }), 'deactivate')).toMatchObject({
      kind: 'registered',
      hook: 'gateway_stop',
      timeoutMs: 7,
      note: { code: 'legacy' },
    });
  });
});
