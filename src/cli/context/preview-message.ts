// `atrium context preview --message`: the next request, as it would go over the wire. A running gateway is asked; without
// one, or with a configuration of its own, the command looks itself and takes no part.

import { loadConfig } from '../../config/load-config.ts';
import type { ContextRequest } from '../../gateway/composer/context-engine.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { Preview } from '../../gateway/services/preview-message.ts';
import type { CliIo } from '../cli-io.ts';
import { GatewayDownError } from '../errors.ts';
import { openGatewayClient } from '../gateway/gateway-client.ts';
import { oneLine, outputWidth, visibleLine } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';
import { formatSpans } from './format-spans.ts';
import type { SituationFlags } from './situation-options.ts';

export interface PreviewFlags extends SituationFlags {
  readonly message?: string;
  readonly runHooks?: boolean;
  readonly body?: boolean;
}

export async function previewMessage(
  flags: PreviewFlags & { readonly message: string },
  { at }: Pick<ContextRequest, 'at'>,
  io: CliIo,
): Promise<void> {
  refuseSituation(flags);
  const { message, session: sessionKey, agent: agentId, channel, runHooks } = flags;
  const request = { message, sessionKey, agentId, channel, runHooks, ...(flags.at === undefined ? {} : { at }) };
  const preview = (flags.config === undefined && (await askGateway(request, io))) || (await look(request, flags, io));
  if (flags.json) io.out(`${JSON.stringify(preview, null, 2)}\n`);
  // Into a file or a program every byte goes as it is; a terminal is not handed other people's control codes.
  else if (flags.body) io.out(io.isTerminal ? `${visibleText(preview.wire.body)}\n` : preview.wire.body);
  else io.out(formatPreview(preview, io));
  if (preview.placeholders.length > 0) {
    const names = [...new Set(preview.placeholders)].join(', ');
    io.err(`note: these handlers were not called, because they may have effects: ${oneLine(names)}.\n`);
    io.err('note: the real request may differ by what they add; --run-hooks calls them.\n');
  }
}

/** A request is what the gateway would send, so only what decides that can be asked for. */
function refuseSituation(flags: PreviewFlags): void {
  for (const [name, value] of Object.entries({ workspace: flags.workspace, type: flags.type, tz: flags.tz })) {
    if (value !== undefined)
      throw new BadFlagError({ flag: `--${name}`, value, expected: 'left out together with --message' });
  }
}

type Asked = Parameters<Awaited<ReturnType<typeof openOwnPreview>>['preview']>[0];

/** Undefined when no gateway is running. */
async function askGateway({ at, ...request }: Asked, io: CliIo): Promise<Preview | undefined> {
  try {
    const client = await openGatewayClient(io);
    try {
      return await client.post<Preview>('/api/context/preview', {
        ...request,
        ...(at === undefined ? {} : { at: at.toISOString() }),
      });
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof GatewayDownError) return undefined;
    throw error;
  }
}

async function look(request: Asked, flags: PreviewFlags, io: CliIo): Promise<Preview> {
  const { preview, close, loaded } = await openOwnPreview(flags, io);
  try {
    const shown = await preview(request);
    writeWarnings(loaded, shown.report, io);
    return shown;
  } finally {
    await close();
  }
}

async function openOwnPreview({ config }: PreviewFlags, io: CliIo) {
  const { environment } = io;
  const loaded = await loadConfig({ environment, configPath: config });
  const { openPreview } = await import('../../gateway/composer/open-preview.ts');
  const opened = await openPreview({
    environment,
    loaded,
    modules: async () => (await import('../../public/compose.ts')).ownModules(),
    now: () => io.now().getTime(),
  });
  return { ...opened, loaded };
}

function formatPreview({ sessionKey, agentId, provider, model, wire, spans }: Preview, io: CliIo): string {
  const head = [
    ['to', `${provider}/${model} at ${wire.url}`],
    ['session', sessionKey],
    ['agent', agentId],
    ['bytes', Buffer.byteLength(wire.body).toLocaleString('en-US')],
  ];
  return [
    head.map(([name = '', value = '']) => `${name.padEnd(9)}${oneLine(value)}\n`).join(''),
    `${visibleText(prettyBody(wire.body))}\n`,
    formatSpans(spans, outputWidth(io)),
  ].join('\n');
}

function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function visibleText(text: string): string {
  return text.split('\n').map(visibleLine).join('\n');
}
