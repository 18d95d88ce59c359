import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../testkit/scratch-gateway.ts';
import { FILESYSTEM, isAlive, ODD } from '../tools/mcp/fixtures/scratch-servers.ts';
import { openPreview } from './composer/open-preview.ts';

const node = { command: process.execPath };
const files = (...args: string[]) => ({ ...node, args: [FILESYSTEM, ...args] });
const odd = (mode = 'good', ...args: string[]) => ({ ...node, args: [ODD, mode, ...args] });

async function gatewayWith(
  servers: Record<string, unknown>,
  { config, ...rest }: ScratchGatewaySettings = {},
): Promise<ScratchGateway> {
  return gatewayForTest({
    variables: { PATH: process.env.PATH ?? '' },
    config: { agents: { defaults: { model: 'fake/small' } }, mcp: { servers }, ...config },
    ...rest,
  });
}

interface ToldTool {
  readonly function: { readonly name: string };
}

/** The tools in the model's request of this number. */
function toldTools({ model }: ScratchGateway, request = 0): readonly string[] {
  const { tools = [] } = model.requests[request]?.json as { tools?: ToldTool[] };
  return tools.map((tool) => tool.function.name);
}

function results({ model }: ScratchGateway, request: number): readonly string[] {
  const { messages } = model.requests[request]?.json as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('MCP servers in a gateway', () => {
  it('bring tools that a model calls like any other, and end with it', async () => {
    const scratch = await gatewayWith({ files: files('/'), odd: odd() });
    const notes = join(scratch.home.stateDir, 'openclaw.json');
    scratch.model.script([toolCall('files__get_file_info', { path: notes }), reply('It is there.')]);
    await scratch.channel.asks({}, 'Is there a configuration?', 'It is there.');
    expect(toldTools(scratch)).toEqual(expect.arrayContaining(['read', 'files__get_file_info', 'odd__act']));
    expect(results(scratch, 1)).toEqual([expect.stringContaining('isFile: true')]);
    expect(await scratch.services.tools.mcpServers()).toMatchObject([
      { name: 'files', transport: 'stdio', state: 'running', error: null },
      { name: 'odd', state: 'running', tools: 6 },
    ]);
  });

  it('stand under the same policy: a glob denies them', async () => {
    const scratch = await gatewayWith({ odd: odd() }, { config: { tools: { deny: ['odd__h*'] } } });
    scratch.model.script([toolCall('odd__hang'), reply('I may not.')]);
    await scratch.channel.asks({}, 'Hang', 'I may not.');
    expect(toldTools(scratch)).toContain('odd__act');
    expect(toldTools(scratch)).not.toContain('odd__hang');
    expect(results(scratch, 1)).toEqual([expect.stringContaining('There is no tool "odd__hang"')]);
  });

  it('stand behind the same gate: before_tool_call sees, changes and blocks their calls', async () => {
    const seen: unknown[] = [];
    const scratch = await gatewayWith(
      { odd: odd() },
      {
        register: (hooks) =>
          on(hooks, 'before_tool_call', 'guard', ({ toolName, params }) => {
            seen.push([toolName, params]);
            return toolName === 'odd__crash'
              ? { block: true, blockReason: 'Not that.' }
              : { params: { text: 'changed' } };
          }),
      },
    );
    scratch.model.script([toolCall('odd__act', { text: 'said' }), toolCall('odd__crash'), reply('Done.')]);
    await scratch.channel.asks({}, 'Act', 'Done.');
    expect(seen).toEqual([
      ['odd__act', { text: 'said' }],
      ['odd__crash', {}],
    ]);
    expect(results(scratch, 2)).toEqual(['changed', 'Not that.']);
  });

  it('that fail leave their tools out: the run goes on and the operator is told', async () => {
    const scratch = await gatewayWith({ broken: odd('exits'), neither: {}, odd: odd() });
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    expect(toldTools(scratch)).toContain('odd__act');
    const { warnings } = await scratch.services.status();
    expect(warnings).toContainEqual(expect.stringMatching(/"broken" cannot be used: it ended with code 3/));
    expect(warnings).toContainEqual(expect.stringMatching(/"neither" is not used: .* neither a command nor a url/));
    expect(scratch.warnings).toContain('mcp broken: there is no license');
  });

  it('are gone when the gateway has stopped, and are not started again to be offered', async () => {
    const scratch = await gatewayWith({});
    await scratch.stop();
    const notes = join(scratch.home.home, 'notes');
    const config = JSON.parse(await scratch.home.read('openclaw.json'));
    await scratch.home.write(
      'openclaw.json',
      JSON.stringify({ ...config, mcp: { servers: { odd: odd('good', notes) } } }),
    );
    const started = async () => (await scratch.home.read('../notes').catch(() => '')).split('\n').filter(Boolean);
    await scratch.start();
    expect(await started()).toEqual([]);
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.channel.asks({}, 'Hi', 'One.');
    const [pid] = await started();
    await scratch.stop();
    await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false));

    // A preview without a gateway shows the same bytes as the run before, and starts nothing.
    const environment = readEnvironment(
      { HOME: scratch.home.home, TZ: 'UTC', PATH: process.env.PATH },
      () => scratch.home.home,
      scratch.home.home,
    );
    const preview = await openPreview({ environment, loaded: await loadConfig({ environment }), now: Date.now });
    const { wire } = await preview.preview({ message: 'Hi' });
    await preview.close();
    const offered = (body: string | undefined) =>
      (JSON.parse(body ?? '{}').tools as ToldTool[]).filter((tool) => tool.function.name.startsWith('odd__'));
    expect(offered(wire.body)).toHaveLength(6);
    expect(offered(wire.body)).toEqual(offered(scratch.model.requests[0]?.body));

    await scratch.start();
    await scratch.channel.asks({}, 'Again', 'Two.');
    expect(toldTools(scratch, 1)).toEqual(toldTools(scratch));
    expect(await started()).toEqual([pid]);
  });
});
