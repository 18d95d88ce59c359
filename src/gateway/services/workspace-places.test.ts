import { describe, expect, it } from 'vitest';
import { workspacePlaces } from './workspace-places.ts';

const config = { agents: { list: [{ id: 'main' }, { id: 'coder', node: 'b' }] } };
const members = (...ids: readonly string[]) =>
  ids.map((id, index) => ({ node: 'abc'[index] ?? '', workspaces: { main: id } }));

describe('the workspaces of several nodes', () => {
  it('are bound, shared or, by mistake, apart', () => {
    expect(workspacePlaces(config, members('1', '1'))).toEqual([
      { agentId: 'main', place: 'shared', node: null, problem: null },
      { agentId: 'coder', place: 'bound', node: 'b', problem: null },
    ]);
    const [apart] = workspacePlaces(config, members('1', '2'));
    expect(apart).toMatchObject({ place: 'apart', problem: expect.stringContaining('each of the nodes "a", "b"') });
  });

  it('are not judged before every node has looked, nor with one node', () => {
    expect(workspacePlaces(config, members('1'))[0]).toMatchObject({ place: 'unknown', problem: null });
    const silent = [...members('1', '1'), { node: 'c', workspaces: {} }];
    expect(workspacePlaces(config, silent)[0]).toMatchObject({ place: 'unknown', problem: null });
  });

  it('say when the node of an agent is not there', () => {
    const [, coder] = workspacePlaces(config, members('1'));
    expect(coder).toMatchObject({ place: 'bound', problem: expect.stringContaining('is bound to the node "b"') });
  });
});
