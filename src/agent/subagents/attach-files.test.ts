// What attached files may do to a workspace: add to it, in one folder, and nothing else.

import { mkdir, readFile, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../../testkit/scratch-workspace.ts';
import { attachFiles } from './attach-files.ts';

const CHILD = 'agent:main:subagent:4d1c';
const file = (name: string) => ({ name, content: 'new' });
let workspace: ScratchWorkspace;

beforeEach(async () => {
  workspace = await ScratchWorkspace.create({ 'AGENTS.md': 'old' });
});
afterEach(() => workspace.remove());

const read = (path: string) => readFile(workspace.path(path), 'utf8');
const attach = (name: string, mountPath?: string) =>
  attachFiles({ workspaceDir: workspace.workspaceDir }, { childKey: CHILD, attachments: [file(name)], mountPath });

describe('attached files', () => {
  it('are new files in a folder of the child', async () => {
    expect(await attach('AGENTS.md')).toEqual({ folder: 'attachments/4d1c', names: ['AGENTS.md'] });
    expect(await attach('AGENTS.md', 'deep/er')).toMatchObject({ folder: 'attachments/4d1c/deep/er' });
    expect(await read('attachments/4d1c/deep/er/AGENTS.md')).toBe('new');
    expect(await read('AGENTS.md')).toBe('old');
  });

  it('replace nothing, and nothing that a link leads to', async () => {
    await attach('a.txt');
    expect(await attach('a.txt')).toContain('there is already something');
    await symlink('../../AGENTS.md', workspace.path('attachments/4d1c/b.txt'));
    expect(await attach('b.txt')).toContain('there is already something');
    expect(await read('AGENTS.md')).toBe('old');
  });

  it('do not leave the workspace by a link', async () => {
    await mkdir(workspace.path('attachments'));
    await symlink('/tmp', workspace.path('attachments/4d1c'));
    expect(await attach('a.txt')).toContain('a link on the way leads out of the workspace');
  });
});
