import { describe, expect, it } from 'vitest';
import { placeHandlers } from './lifecycle.ts';

describe('the handlers of hooks', () => {
  it('stand at their stations, and none is left out', () => {
    const handlers = ['before_tool_call', 'agent_end', 'gateway_start'].map((hook) => ({ hook }));
    const placed = placeHandlers(handlers).filter(({ hooks }) => hooks.length > 0);
    expect(placed.map(({ title, hooks }) => [title, ...hooks.map(({ hook }) => hook)])).toEqual([
      ['Tools', 'before_tool_call'],
      ['Finish', 'agent_end'],
      ['Elsewhere', 'gateway_start'],
    ]);
  });
});
