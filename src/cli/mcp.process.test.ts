import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ODD } from '../tools/mcp/fixtures/scratch-servers.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

const odd = (mode: string, changes: object = {}) => ({ command: process.execPath, args: [ODD, mode], ...changes });

let running: RunningGateway;
beforeEach(async () => {
  const servers = {
    broken: odd('exits'),
    both: { command: 'x', url: 'http://127.0.0.1:1/mcp' },
    far: { url: 'https://tools.example/mcp?key=secret', headers: { authorization: 'Bearer secret' } },
    off: odd('pages', { enabled: false }),
    odd: odd('pages'),
    slow: odd('hangs', { startSeconds: 1 }),
  };
  running = await RunningGateway.create({ 'openclaw.json': JSON.stringify({ mcp: { servers } }) });
});
afterEach(() => running.remove());

describe('atrium mcp list', () => {
  it('asks the running gateway', async () => {
    await running.start();
    const { out } = await running.home.run(['mcp', 'list']);
    expect(out).toMatch(/^odd +stdio +stopped +not asked yet/m);
  });

  it('says that a running gateway has none, which must be started again to have some', async () => {
    const servers = await running.home.read('openclaw.json');
    await running.home.write('openclaw.json', '{}');
    await running.start();
    await running.home.write('openclaw.json', servers);
    expect((await running.home.run(['mcp', 'list'])).out).toMatch(/^The running gateway has no .* start it again\.\n$/);
  });

  it('says from the store what they offered last, starts nothing and shows no secrets', async () => {
    const { out, err } = await running.home.run(['mcp', 'list']);
    expect(out).toMatch(/^odd +stdio +stopped +not asked yet/m);
    expect(out).toMatch(/^far +http +stopped +not asked yet +https:\/\/tools\.example\/mcp$/m);
    expect(out).not.toContain('secret');
    expect(out).not.toMatch(/^(both|off) /m);
    expect(err).toMatch(/openclaw\.json:1: The MCP server "both" is not used: it has both a command and a url/);
    const { servers } = (await running.home.runJson(['mcp', 'list'])) as { servers: { name: string }[] };
    expect(servers.map(({ name }) => name)).toEqual(['broken', 'far', 'odd', 'slow']);
  });
});

describe('atrium mcp test', () => {
  it('starts a server once, even one that is off, and lists its tools', async () => {
    const { out, code } = await running.home.run(['mcp', 'test', 'off']);
    expect(code).toBe(0);
    expect(out).toMatch(/^off works and offers 2 tools\.\n/);
    expect(out).toMatch(/^off__first +Does first\.$/m);
    expect(await running.home.runJson(['mcp', 'test', 'odd'])).toMatchObject({
      name: 'odd',
      tools: [{ name: 'first', offeredAs: 'odd__first', parameters: { type: 'object' } }, { name: 'second' }],
    });
    expect(await running.store.count('toolListings')).toBe(0);
  });

  it('says why a server does not work, and what it said', async () => {
    const broken = await running.home.run(['mcp', 'test', 'broken']);
    expect(broken).toMatchObject({ code: 1, err: 'broken: there is no license\n' });
    expect(broken.out).toBe('broken does not work: it ended with code 3.\n');
    const slow = await running.home.run(['mcp', 'test', 'slow']);
    expect(slow).toMatchObject({ code: 1, out: expect.stringContaining('was not ready after 1 s') });
    expect(await running.home.runJson(['mcp', 'test', 'broken'])).toMatchObject({
      name: 'broken',
      error: { code: 'ATRIUM_MCP_START' },
    });
  });

  it('knows only what is configured and can be used', async () => {
    expect(await running.home.run(['mcp', 'test', 'od'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "odd"?'),
    });
    expect((await running.home.run(['mcp', 'test', 'both'])).code).toBe(2);
  });
});
