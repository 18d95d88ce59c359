import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { bundleProgram } from '../../store/bundle-program.ts';
import { isAlive, ODD, ScratchServers } from './fixtures/scratch-servers.ts';
import { StdioTransport } from './stdio-transport.ts';

const eventually = { timeout: 10_000, interval: 20 };

describe('a server as a process', () => {
  it('that is not wanted any more before it began never begins', async () => {
    const scratch = await ScratchServers.create();
    const args = [ODD, 'good', scratch.path('notes')];
    const settings = { kind: 'stdio' as const, command: process.execPath, args, env: {}, cwd: scratch.dir };
    const transport = new StdioTransport({ settings, variables: {}, told: () => {} });
    const started = transport.start();
    await transport.close();
    await expect(started).rejects.toThrow('stopped before it began');
    expect(await scratch.notes()).toEqual([]);
  });

  it('does not outlive a process that ends without closing anything', async () => {
    const scratch = await ScratchServers.create();
    const args = JSON.stringify([ODD, 'stubborn', scratch.path('notes')]);
    const program = await bundleProgram(
      scratch.dir,
      `import { StdioTransport } from './../tools/mcp/stdio-transport.ts';
       const settings = { kind: 'stdio', command: process.execPath, args: ${args}, env: {}, cwd: '/' };
       const transport = new StdioTransport({ settings, variables: {}, told: () => {} });
       await transport.start();
       process.stdin.once('data', () => process.exit(0));`,
    );
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'inherit', 'inherit'] });
    await vi.waitFor(async () => expect(await scratch.notes()).toHaveLength(2), eventually);
    const pids = (await scratch.notes()).map(Number);
    expect(pids.every(isAlive)).toBe(true);
    child.stdin.write('now\n');
    await once(child, 'exit');
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), eventually);
  });
});
