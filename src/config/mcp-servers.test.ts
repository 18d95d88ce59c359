import { describe, expect, it } from 'vitest';
import { findMcpServer, listMcpOddities, mcpServersOf } from './mcp-servers.ts';
import type { Config } from './schema.ts';

const servers = (written: NonNullable<Config['mcp']>['servers']): Config => ({ mcp: { servers: written } });

describe('the configured MCP servers', () => {
  it('are programs or addresses, by name, with times of their own or the usual ones', () => {
    const config = servers({
      notes: { url: 'https://notes.example/mcp', headers: { authorization: 'Bearer x' }, timeoutSeconds: 5 },
      files: { command: '~/bin/files', args: ['--ro'], env: { KEY: '1' }, cwd: '~/docs', startSeconds: 3 },
    });
    expect(mcpServersOf(config, '/home/op')).toEqual([
      {
        name: 'files',
        transport: {
          kind: 'stdio',
          command: '/home/op/bin/files',
          args: ['--ro'],
          env: { KEY: '1' },
          cwd: '/home/op/docs',
        },
        startMs: 3_000,
        timeoutMs: 60_000,
      },
      {
        name: 'notes',
        transport: { kind: 'http', url: 'https://notes.example/mcp', headers: { authorization: 'Bearer x' } },
        startMs: 20_000,
        timeoutMs: 5_000,
      },
    ]);
    expect(listMcpOddities(config)).toEqual([]);
    expect(mcpServersOf({}, '/home/op')).toEqual([]);
  });

  it('run in the home directory unless they are told otherwise', () => {
    const [server] = mcpServersOf(servers({ files: { command: 'files' } }), '/home/op');
    expect(server?.transport).toMatchObject({ command: 'files', args: [], env: {}, cwd: '/home/op' });
  });

  it.each([
    ['neither a command nor a url', {}],
    ['both a command and a url', { command: 'files', url: 'http://127.0.0.1/mcp' }],
    ['no address', { url: 'ftp://files' }],
    ['no address', { url: 'files' }],
    ['a password in it', { url: 'https://ana:secret@files.example/mcp' }],
  ])('with %s are told of and not used', (problem, written) => {
    const config = servers({ odd: written, fine: { command: 'fine' } });
    expect(mcpServersOf(config, '/home/op').map(({ name }) => name)).toEqual(['fine']);
    expect(findMcpServer(config, 'odd', '/home/op')).toBeUndefined();
    expect(listMcpOddities(config)).toEqual([
      { at: ['mcp', 'servers', 'odd'], message: expect.stringContaining(problem) },
    ]);
    expect(JSON.stringify(listMcpOddities(config))).not.toContain('secret');
  });

  it('that are off are not used, and can be tried', () => {
    const config = servers({ files: { command: 'files', enabled: false }, bad: { enabled: false } });
    expect(mcpServersOf(config, '/home/op')).toEqual([]);
    expect(listMcpOddities(config)).toEqual([]);
    expect(findMcpServer(config, 'files', '/home/op')).toMatchObject({ name: 'files' });
  });
});
