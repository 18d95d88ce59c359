import { describe, expect, it } from 'vitest';
import picture from '../../docs/lifecycle.md?raw';
import { HOOK_CATALOG } from '../../src/hooks/catalog.ts';
import { LIFECYCLE, placeHandlers } from './lifecycle.ts';

describe('the stations of the page', () => {
  it('have every hook of the catalog once, and no other', () => {
    const drawn = LIFECYCLE.flatMap(({ hooks }) => hooks);
    expect(drawn.toSorted()).toEqual(Object.keys(HOOK_CATALOG).toSorted());
  });

  it('have the names and the order of the picture in docs/lifecycle.md', () => {
    const boxes = picture
      .split('┌─ ')
      .slice(1)
      .map((box) => {
        const [head = '', ...lines] = box.split('\n');
        const hooks = lines.flatMap((line) => /^│ {2}([a-z]\w*[\w:-]*) {2,}[a-z]+/.exec(line)?.[1] ?? []);
        return [/^\w+/.exec(head)?.[0], ...hooks];
      });
    expect(LIFECYCLE.map(({ title, hooks }) => [title.toLowerCase(), ...hooks])).toEqual(boxes);
  });
});

describe('the handlers of hooks', () => {
  it('stand at their stations in calling order, and none is left out', () => {
    const handlers = ['before_tool_call', 'agent_end', 'hook_of_tomorrow', 'before_tool_call'].map((hook, id) => ({
      hook,
      id,
    }));
    const placed = placeHandlers(handlers).filter(({ armed }) => armed.length > 0);
    expect(
      placed.map(({ title, armed }) => [
        title,
        ...armed.map(({ hook, handlers: own }) => [hook, own.map(({ id }) => id)]),
      ]),
    ).toEqual([
      ['Tools', ['before_tool_call', [0, 3]]],
      ['Finish', ['agent_end', [1]]],
      ['Elsewhere', ['hook_of_tomorrow', [2]]],
    ]);
  });
});
