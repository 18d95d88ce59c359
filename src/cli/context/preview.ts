// `atrium context preview`: the prompt, byte for byte as a model would get it; with a message, the whole request as it
// would be sent. For a request a running gateway is asked; without one, or with a configuration of its own, the command
// composes the request itself and changes nothing.

import { loadConfig } from '../../config/load-config.ts';
import type { ContextRequest } from '../../gateway/composer/context-engine.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { Preview } from '../../gateway/services/preview-message.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command, type FlagsOf } from '../command.ts';
import { askRunning } from '../gateway/gateway-client.ts';
import { formatFacts } from '../output/format-table.ts';
import { oneLine, visibleText } from '../output/text.ts';
import { warningLines, writeWarnings } from '../output/warnings.ts';
import { formatSpans } from './format-spans.ts';
import { openContext, SITUATION_OPTIONS } from './situation-options.ts';

const PREVIEW_OPTIONS = {
  '--message <text>': 'show the next request for this message: system, tools and messages',
  '--run-hooks': 'with --message: also call prompt hooks that may have effects',
  '--body': 'with --message: print the exact bytes of the request and nothing else',
  ...SITUATION_OPTIONS,
} as const;

type PreviewFlags = FlagsOf<typeof PREVIEW_OPTIONS>;

export const contextPreview = command({
  path: 'context preview',
  summary: 'print the prompt that the agent would read, or the whole request for a message, byte for byte',
  options: PREVIEW_OPTIONS,
  examples: [
    'context preview                                  the default agent, now',
    'context preview --at 23:30 --tz Europe/Berlin    the same at night',
    'context preview --session agent:main:subagent:x  what a subagent would read',
    'context preview --session agent:main:main --message "hello"',
  ],
  async run(flags, { io }) {
    const { engine, request, loaded } = await openContext(flags, io);
    const { message } = flags;
    if (message !== undefined) return previewMessage({ ...flags, message }, request, io);
    const flag = flags.runHooks ? '--run-hooks' : flags.body ? '--body' : undefined;
    if (flag) throw new BadFlagError({ flag, value: '', expected: 'used with --message' });
    const { prompt, report } = await engine.compose(request);
    const { text, blocks, cacheBoundary } = prompt;
    const json = { text, blocks, cacheBoundary, hash: report.prompt.hash };
    return { json, text, warnings: warningLines(loaded, report.warnings) };
  },
});

async function previewMessage(
  flags: PreviewFlags & { readonly message: string },
  { at }: Pick<ContextRequest, 'at'>,
  io: CliIo,
): Promise<Answer> {
  refuseSituation(flags);
  const { message, session: sessionKey, agent: agentId, channel, runHooks } = flags;
  const request = { message, sessionKey, agentId, channel, runHooks, ...(flags.at === undefined ? {} : { at }) };
  const preview = (flags.config === undefined && (await askGateway(request, io))) || (await look(request, flags, io));
  if (preview.placeholders.length > 0) {
    const names = [...new Set(preview.placeholders)].join(', ');
    io.err(`note: these handlers were not called, because they may have effects: ${oneLine(names)}.\n`);
    io.err('note: the real request may differ by what they add; --run-hooks calls them.\n');
  }
  const { body } = preview.wire;
  // A file or a program gets every byte as it is; a terminal does not get control codes from untrusted text.
  const exact = io.isTerminal ? `${visibleText(body)}\n` : body;
  return { json: preview, text: flags.body ? exact : (width) => formatPreview(preview, width) };
}

/** A request is what the gateway would send, so flags for other situations are refused. */
function refuseSituation(flags: PreviewFlags): void {
  for (const [name, value] of Object.entries({ workspace: flags.workspace, type: flags.type, tz: flags.tz })) {
    if (value !== undefined)
      throw new BadFlagError({ flag: `--${name}`, value, expected: 'left out together with --message' });
  }
}

type Asked = Parameters<Awaited<ReturnType<typeof openOwnPreview>>['preview']>[0];

/** Undefined when no gateway is running. */
function askGateway({ at, ...request }: Asked, io: CliIo): Promise<Preview | undefined> {
  const body = { ...request, ...(at === undefined ? {} : { at: at.toISOString() }) };
  return askRunning(io, (client) => client.post<Preview>('/api/context/preview', body));
}

async function look(request: Asked, flags: PreviewFlags, io: CliIo): Promise<Preview> {
  const { preview, close, loaded } = await openOwnPreview(flags, io);
  try {
    const shown = await preview(request);
    writeWarnings(loaded, io, shown.report.warnings);
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

function formatPreview({ sessionKey, agentId, provider, model, wire, spans }: Preview, width: number): string {
  const facts = formatFacts([
    ['to', `${provider}/${model} at ${wire.url}`],
    ['session', sessionKey],
    ['agent', agentId],
    ['bytes', Buffer.byteLength(wire.body).toLocaleString('en-US')],
  ]);
  return [facts, `${visibleText(prettyBody(wire.body))}\n`, formatSpans(spans, width)].join('\n');
}

function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
