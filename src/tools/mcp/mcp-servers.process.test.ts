import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  EVERYTHING,
  FILESYSTEM,
  isAlive,
  ODD,
  program,
  ScratchServers,
  serveEverything,
  servePoorly,
} from './fixtures/scratch-servers.ts';

const eventually = { timeout: 10_000, interval: 20 };

describe('the public servers', () => {
  it('offer the tools of the filesystem server, and it reads and writes where it may', async () => {
    const scratch = await ScratchServers.create();
    await writeFile(scratch.path('notes.txt'), 'Buy milk.');
    const servers = scratch.open([program('files', [FILESYSTEM, scratch.dir])]);
    const tools = await servers.tools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('files__read_text_file');
    expect(names).toEqual([...names].sort());
    expect(tools.every(({ owner }) => owner === 'bundle-mcp')).toBe(true);
    const read = await scratch.call(servers, 'files__read_text_file', { path: scratch.path('notes.txt') });
    expect(read).toMatchObject({ content: 'Buy milk.' });
    expect(read.isError).toBeUndefined();
    await scratch.call(servers, 'files__write_file', { path: scratch.path('new.txt'), content: 'Written.' });
    expect(await readFile(scratch.path('new.txt'), 'utf8')).toBe('Written.');
    const outside = await scratch.call(servers, 'files__read_text_file', { path: '/etc/passwd' });
    expect(outside).toMatchObject({ isError: true, content: expect.stringContaining('denied') });
    const missing = await scratch.call(servers, 'files__read_text_file', {});
    expect(missing).toMatchObject({ isError: true, content: expect.stringContaining('path is required') });
  });

  it('offer no more than the operator lets through', async () => {
    const scratch = await ScratchServers.create();
    const filtered = { ...program('files', [FILESYSTEM, scratch.dir]), include: ['read_*', 'list_directory'] };
    const names = async (server: typeof filtered & { exclude?: readonly string[] }) =>
      (await scratch.open([server]).tools()).map(({ name }) => name.replace('files__', ''));
    const included = await names(filtered);
    expect(included).toContain('read_text_file');
    expect(included.every((name) => name === 'list_directory' || name.startsWith('read_'))).toBe(true);
    expect(await names({ ...filtered, exclude: ['read_text_file'] })).not.toContain('read_text_file');
  });

  it('answer with texts, numbers, pictures, links and structured answers', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('all', [EVERYTHING, 'stdio'])]);
    const said = async (name: string, params = {}) => (await scratch.call(servers, `all__${name}`, params)).content;
    expect(await said('echo', { message: 'hello' })).toBe('Echo: hello');
    expect(await said('get-sum', { a: 2, b: 40 })).toContain('42');
    expect(await said('get-tiny-image')).toMatch(/\[image, image\/png, \d{3,} bytes; not shown\]/);
    expect(await said('get-resource-links', { count: 2 })).toMatch(/\[link to \S+.*\]\n\[link to/);
    expect(await said('get-structured-content', { location: 'Chicago' })).toContain('temperature');
    const environment = JSON.parse(await said('get-env'));
    expect(environment.PATH).toBeDefined();
    expect(environment.SECRET_KEY).toBeUndefined();
  });

  it('are told to stop a call that takes too long, and answer the next one', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('all', [EVERYTHING, 'stdio'], { timeoutMs: 400 })]);
    const slow = await scratch.call(servers, 'all__trigger-long-running-operation', { duration: 30, steps: 3 });
    expect(slow).toMatchObject({ isError: true, content: expect.stringMatching(/within 0\.4 s; .* not known/) });
    expect((await scratch.call(servers, 'all__echo', { message: 'still here' })).content).toBe('Echo: still here');
  });

  it('speak streamable HTTP too, are missed when they go, and are found again', async () => {
    const scratch = await ScratchServers.create();
    const remote = await serveEverything();
    const { url, port } = remote;
    const servers = scratch.open([
      { name: 'far', transport: { kind: 'http', url, headers: {} }, startMs: 20_000, timeoutMs: 20_000 },
    ]);
    expect((await scratch.call(servers, 'far__echo', { message: 'hello' })).content).toBe('Echo: hello');

    const cut = scratch.call(servers, 'far__trigger-long-running-operation', { duration: 30, steps: 3 });
    await sleep(500);
    await remote.end();
    expect(await cut).toMatchObject({ isError: true, content: expect.stringContaining('unknown') });
    scratch.clock += 60_000;
    const gone = await scratch.call(servers, 'far__echo', { message: 'hello' });
    expect(gone).toMatchObject({ isError: true, content: expect.stringContaining('ECONNREFUSED') });
    expect(servers.warnings).toEqual([expect.stringContaining('nothing listens there (ECONNREFUSED)')]);

    await serveEverything(port);
    scratch.clock += 60_000;
    expect((await scratch.call(servers, 'far__echo', { message: 'again' })).content).toBe('Echo: again');
    expect(servers.warnings).toEqual([]);
  });

  it('that were started again elsewhere have forgotten the session: the call had no effect, and the next one works', async () => {
    const scratch = await ScratchServers.create();
    const remote = await serveEverything();
    const { url, port } = remote;
    const servers = scratch.open([
      { name: 'far', transport: { kind: 'http', url, headers: {} }, startMs: 20_000, timeoutMs: 20_000 },
    ]);
    await scratch.call(servers, 'far__echo', { message: 'hello' });
    await remote.end();
    await serveEverything(port);
    const refused = await scratch.call(servers, 'far__echo', { message: 'hello' });
    expect(refused).toMatchObject({ isError: true, content: expect.stringMatching(/no effect|in 1 s/) });
    scratch.clock += 60_000;
    expect((await scratch.call(servers, 'far__echo', { message: 'again' })).content).toBe('Echo: again');
  });
});

describe('a server', () => {
  it('does not run before a tool of it is needed, and is offered from the store after that', async () => {
    const scratch = await ScratchServers.create();
    const settings = program('odd', [ODD, 'good', scratch.path('notes')]);
    const first = scratch.open([settings]);
    expect(await scratch.notes()).toEqual([]);
    const listed = await first.tools();
    await first.close();
    expect(await scratch.notes()).toHaveLength(1);

    const second = scratch.open([settings]);
    expect((await second.tools()).map(({ name, parameters }) => [name, parameters])).toEqual(
      listed.map(({ name, parameters }) => [name, parameters]),
    );
    expect(await scratch.notes()).toHaveLength(1);
    expect((await scratch.call(second, 'odd__act', { text: 'on demand' })).content).toBe('on demand');
    expect(await scratch.notes()).toHaveLength(2);

    const changed = scratch.open([program('odd', [ODD, 'pages', scratch.path('notes')])], { mayStart: false });
    expect(await changed.tools()).toEqual([]);
    expect(await scratch.notes()).toHaveLength(2);
  });

  it('is asked for all of its pages, and lists the same tools in the same order every time', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('b', [ODD, 'pages']), program('a', [ODD, 'pages'])]);
    const tools = await servers.tools();
    expect(tools.map(({ name }) => name)).toEqual(['b__first', 'b__second', 'a__first', 'a__second']);
    expect(await servers.tools()).toBe(tools);
    expect(scratch.store.commits['tool-listing']).toBe(2);
  });

  it('that announces new tools is asked again', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD])]);
    await scratch.call(servers, 'odd__grow');
    await vi.waitFor(async () => {
      expect((await servers.tools()).map(({ name }) => name)).toContain('odd__grown');
    }, eventually);
    const [row] = await scratch.store.select('toolListings');
    expect(row?.tools.map(({ name }) => name)).toContain('grown');
  });

  it('that dies between two calls is started again for the next one, after a pause', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'good', scratch.path('notes')])]);
    await servers.tools();
    process.kill(Number((await scratch.notes())[0]), 'SIGKILL');
    await vi.waitFor(() => expect(servers.warnings).toEqual([expect.stringContaining('SIGKILL')]), eventually);
    expect(await scratch.call(servers, 'odd__act')).toMatchObject({
      isError: true,
      content: expect.stringMatching(/down and is started again in 1 s at the earliest; the call was not made/),
    });
    expect(await scratch.notes()).toHaveLength(1);
    scratch.clock += 1_000;
    expect((await scratch.call(servers, 'odd__act')).content).toBe('done');
    expect(servers.warnings).toEqual([]);
  });

  it('that dies in the middle of a call: the effect is unknown, and the call is not repeated', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'good', scratch.path('notes')])]);
    expect(await scratch.call(servers, 'odd__crash')).toMatchObject({
      isError: true,
      content: expect.stringMatching(/ended with code 9\. .* not repeated, .* unknown/),
    });
    const hanging = scratch.open([program('other', [ODD, 'good', scratch.path('others')])]);
    const call = scratch.call(hanging, 'other__hang');
    await vi.waitFor(async () => expect(await scratch.notes('others')).toContain('hanging'), eventually);
    process.kill(Number((await scratch.notes('others'))[0]), 'SIGKILL');
    expect(await call).toMatchObject({ isError: true, content: expect.stringMatching(/SIGKILL.* unknown/) });
    expect(await scratch.notes()).toHaveLength(1);
    expect(await scratch.notes('others')).toHaveLength(2);
  });

  it('that keeps dying is left alone for longer and longer, for a minute at most', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD])]);
    const pauses: string[] = [];
    for (let round = 0; round < 8; round++) {
      await scratch.call(servers, 'odd__crash');
      const { content } = await scratch.call(servers, 'odd__act');
      pauses.push(/in (\d+) s/.exec(content)?.[1] ?? '');
      scratch.clock += 60_000;
    }
    expect(pauses).toEqual(['1', '2', '4', '8', '16', '32', '60', '60']);
  });

  it('is told that a call was stopped', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'good', scratch.path('notes')])]);
    await servers.tools();
    const stop = new AbortController();
    const call = scratch.call(servers, 'odd__hang', {}, { signal: stop.signal });
    await vi.waitFor(async () => expect(await scratch.notes()).toContain('hanging'), eventually);
    stop.abort();
    expect(await call).toMatchObject({ isError: true, content: expect.stringContaining('was stopped') });
    await vi.waitFor(async () => expect((await scratch.notes()).at(-1)).toMatch(/^cancelled \d+$/), eventually);
    expect((await scratch.call(servers, 'odd__act')).content).toBe('done');
  });

  it('that nobody uses is stopped, and started again when it is needed', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'good', scratch.path('notes')])], { idleMs: 50 });
    await scratch.call(servers, 'odd__act');
    const [pid] = await scratch.notes();
    await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false), eventually);
    expect(await servers.statuses()).toMatchObject([{ state: 'stopped', tools: 6, error: null }]);
    expect((await scratch.call(servers, 'odd__act')).content).toBe('done');
    expect(await scratch.notes()).toHaveLength(2);
  });

  it('gets the harmless variables and its own, and runs where it is told to', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD], { env: { OWN_KEY: '1' }, cwd: scratch.dir })]);
    expect((await scratch.call(servers, 'odd__env')).content.split(' ')).toEqual(['HOME', 'OWN_KEY', 'PATH', 'TERM']);
  });

  it('refuses in its own words', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'huge'])]);
    expect(await scratch.call(servers, 'odd__tool_0001')).toMatchObject({
      isError: true,
      content: 'The MCP server "odd" refused the call: Unknown tool: tool_0001.',
    });
  });
});

describe('a server that misbehaves', () => {
  it.each([
    ['does not answer', 'hangs', /was not ready after 0\.5 s/],
    ['ends at once', 'exits', /ended with code 3.*It had said: there is no license/],
    ['floods its output', 'floods', /floods its output/],
    ['writes a line without end', 'long-line', /wrote a line of more than 16777216 bytes/],
  ])(
    'and %s leaves its tools out; the others are there',
    async (_, mode, why) => {
      const scratch = await ScratchServers.create();
      const servers = scratch.open([
        program('bad', [ODD, mode, scratch.path('notes')], { startMs: mode === 'hangs' ? 500 : 20_000 }),
        program('good', [ODD, 'pages']),
      ]);
      expect((await servers.tools()).map(({ name }) => name)).toEqual(['good__first', 'good__second']);
      expect(servers.warnings).toEqual([expect.stringMatching(why)]);
      expect(scratch.warnings.at(-1)).toMatch(why);
      // No run waits for it a second time, and it is left alone for a while.
      expect(await servers.tools()).toHaveLength(2);
      const pids = await scratch.notes();
      expect(pids).toHaveLength(1);
      await vi.waitFor(() => expect(isAlive(Number(pids[0]))).toBe(false), eventually);
    },
    20_000,
  );

  it('and does not exist is named with the reason', async () => {
    const scratch = await ScratchServers.create();
    const settings = program('none', []);
    const servers = scratch.open([
      program('nowhere', [ODD], { cwd: '/no/such/folder' }),
      { ...settings, transport: { kind: 'stdio', command: '/no/such/program', args: [], env: {}, cwd: scratch.dir } },
    ]);
    expect(await servers.tools()).toEqual([]);
    expect(servers.warnings).toEqual([
      expect.stringContaining('there is no folder /no/such/folder'),
      'The MCP server "none" cannot be used: there is no program /no/such/program (ENOENT). Try it with "atrium mcp test none".',
    ]);
  });

  it('and lists thousands of tools, or pages without end, is heard to a bound', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('endless', [ODD, 'endless']), program('huge', [ODD, 'huge'])]);
    const names = (await servers.tools()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('huge__'))).toHaveLength(512);
    expect(names.filter((name) => name.startsWith('endless__'))).toHaveLength(64);
    expect(scratch.warnings).toContainEqual(expect.stringMatching(/"huge": .* there are more than 512/));
  });

  it('and sends what makes readers stumble hurts itself only', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('bad', [ODD, 'nests']), program('good', [ODD, 'pages'])]);
    expect((await servers.tools()).map(({ name }) => name)).toEqual(expect.arrayContaining(['good__first']));
  });

  it.each([
    ['refuses the call', 401, 'text/plain', 'Who are you?', /did not take the call .*no effect/],
    ['refuses it at length', 400, 'text/plain', `${'.'.repeat(100_000)}!`, /did not take the call/],
    ['breaks at it', 502, 'text/plain', 'Bad gateway', /unknown/],
    ['answers with something else', 200, 'text/html', '<h1>Hello</h1>', /unknown/],
    ['answers with nothing', 200, 'text/event-stream', ': nothing\n\n', /unknown/],
    [
      'answers with too much',
      200,
      'application/json',
      `"${'x'.repeat(17 * 1024 * 1024)}"`,
      /more than 16777216 .*unknown/,
    ],
  ])('elsewhere and %s: the agent is told what is known', async (_, status, type, body, told) => {
    const scratch = await ScratchServers.create();
    const url = await servePoorly((response) => response.writeHead(status, { 'content-type': type }).end(body));
    const transport = { kind: 'http' as const, url, headers: {} };
    const servers = scratch.open([{ name: 'far', transport, startMs: 5_000, timeoutMs: 15_000 }]);
    expect(await scratch.call(servers, 'far__act')).toMatchObject({
      isError: true,
      content: expect.stringMatching(told),
    });
  });

  it('is not quoted with the secrets that it was given', async () => {
    const scratch = await ScratchServers.create();
    const headers = { authorization: 'Bearer swordfish\nx' };
    const transport = { kind: 'http' as const, url: 'http://127.0.0.1:1/mcp', headers };
    const servers = scratch.open([{ name: 'far', transport, startMs: 5_000, timeoutMs: 5_000 }]);
    expect(await servers.tools()).toEqual([]);
    expect(servers.warnings).toHaveLength(1);
    expect(servers.warnings[0]).toContain('[secret]');
    expect(servers.warnings[0]).not.toContain('swordfish');
  });

  it('and asks without listening is ended before its answers fill the memory', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'asks', scratch.path('notes')])]);
    const complaints: string[] = [];
    const complain = ({ message }: Error) => void complaints.push(message);
    process.on('warning', complain);
    await servers.tools();
    await vi.waitFor(() => expect(servers.warnings).toEqual([expect.stringContaining('does not read')]), eventually);
    process.off('warning', complain);
    // However many answers wait, they hang one listener at the stream.
    expect(complaints).toEqual([]);
    const [pid] = await scratch.notes();
    await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false), eventually);
  });

  it('and writes a secret that it was given is not written down with it', async () => {
    const scratch = await ScratchServers.create();
    const words = "console.error('bad key ' + process.env.KEY); process.exit(1)";
    const servers = scratch.open([program('odd', ['-e', words], { env: { KEY: 'swordfish' } })]);
    await servers.tools();
    expect(scratch.warnings[0]).toBe('mcp odd: bad key [secret]');
    expect((await servers.statuses())[0]?.error).toMatch(/It had said: bad key \[secret\]$/);
  });

  it('and greets on the wrong stream is understood all the same', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'greets'])]);
    expect((await scratch.call(servers, 'odd__act')).content).toBe('done');
    expect(scratch.warnings).toEqual(['mcp odd: [not a message] Welcome to this server!']);
  });

  it('and chatters fills no log', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'chatters'])]);
    await scratch.call(servers, 'odd__act');
    await vi.waitFor(() => expect(scratch.warnings).toHaveLength(31), eventually);
    expect(scratch.warnings[0]).toBe('mcp odd: line 1');
  });

  it('and does not want to end is ended, with everybody whom it started', async () => {
    const scratch = await ScratchServers.create();
    const servers = scratch.open([program('odd', [ODD, 'stubborn', scratch.path('notes')])]);
    await servers.tools();
    const pids = (await scratch.notes()).map(Number);
    expect(pids).toHaveLength(2);
    await servers.close();
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), eventually);
    await expect(scratch.call(servers, 'odd__act')).resolves.toMatchObject({ isError: true });
    expect(await scratch.notes()).toHaveLength(2);
  });
});
