// `atrium tour`: what Atrium shows about a prompt, step by step, on the example workspace that comes with it. It needs
// no configuration and no network, writes nothing, and does not read the home of the person who runs it. Its clock
// stands still, so the same installation always prints the same.

import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { Composition } from '../context/compose.ts';
import type { SpanReport } from '../context/report/build-report.ts';
import { ContextEngine } from '../gateway/composer/context-engine.ts';
import { ownHandlers } from '../public/own-handlers.ts';
import type { CliIo } from './cli-io.ts';
import { command } from './command.ts';
import { ExamplesMissingError } from './errors.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { oneLine } from './output/text.ts';
import { productFolder } from './product-folder.ts';

export const tour = command({
  path: 'tour',
  summary: 'a guided look at an example workspace; needs no configuration and changes nothing',
  examples: ['tour'],
  json: false,
  async run(_, { io }) {
    const shown = await prepareTour(io);
    const steps = STEPS.map(
      ({ title, show }, index) => `\n${index + 1}. ${title}\n${'-'.repeat(title.length + 3)}\n${show(shown)}`,
    );
    const intro = 'Atrium composes what an agent reads, and can say for every character where it came from.\n';
    return { text: [intro, ...steps, NEXT].join('') };
  },
});

interface Tour {
  readonly examplesDir: string;
  readonly columns: number;
  readonly day: Composition;
  readonly night: Composition;
  readonly subagent: Composition;
  readonly small: Composition;
}

interface TourStep {
  readonly title: string;
  readonly show: (tour: Tour) => string;
}

const FRIDAY_MORNING = new Date('2026-05-08T10:00:00+01:00');
const FRIDAY_NIGHT = new Date('2026-05-08T23:30:00+01:00');
const SMALL_BUDGET = 1_200;

const STEPS: readonly TourStep[] = [
  { title: 'The workspace', show: showWorkspace },
  { title: 'The prompt, layer by layer', show: showLayers },
  { title: 'What a subagent does not get', show: showSubagent },
  { title: 'What the night changes', show: showNight },
  { title: `What a budget of ${SMALL_BUDGET.toLocaleString('en-US')} characters a file does`, show: showBudget },
  { title: 'Whose line is this?', show: showAuthors },
];

const NEXT = `
Now with your own agent
-----------------------
  atrium agents init                         create a workspace, if you have none
  atrium agents validate                     what is wrong in it, file by file
  atrium context preview                     what a model would be sent
  atrium context report                      sizes, cuts, handlers
  atrium context explain "some words"        whose line is this, or why is it not there
  atrium context diff --at 10:00 --at 23:30  day against night
  atrium hooks list                          who steps in, in which order
  atrium hooks new greeter                   step in yourself
In a checkout of Atrium, write "npx atrium" instead of "atrium".
`;

async function prepareTour(io: CliIo): Promise<Tour> {
  const examplesDir = join(productFolder(), 'examples');
  const workspaceDir = join(examplesDir, 'workspace');
  const isThere = await stat(workspaceDir).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isThere) throw new ExamplesMissingError({ dir: examplesDir });
  const environment = readEnvironment(
    { HOME: examplesDir, OPENCLAW_STATE_DIR: examplesDir, OPENCLAW_WORKSPACE_DIR: workspaceDir, TZ: 'UTC' },
    () => examplesDir,
    examplesDir,
  );
  const { config } = await loadConfig({ environment });
  const engine = createEngine(environment, config);
  const day = await engine.compose({ at: FRIDAY_MORNING });
  const defaults = { ...config.agents?.defaults, bootstrapMaxChars: SMALL_BUDGET };
  return {
    examplesDir,
    columns: outputWidth(io),
    day,
    night: await engine.compose({ at: FRIDAY_NIGHT }, day),
    subagent: await engine.compose({ at: FRIDAY_MORNING, sessionKey: 'agent:main:subagent:notes' }),
    small: await createEngine(environment, { ...config, agents: { ...config.agents, defaults } }).compose({
      at: FRIDAY_MORNING,
    }),
  };
}

function createEngine(environment: Environment, config: Config): ContextEngine {
  return new ContextEngine({
    environment,
    config,
    handlers: ownHandlers(config, environment),
  });
}

function showWorkspace({ day, examplesDir }: Tour): string {
  const names = day.report.files.filter((file) => file.status !== 'absent').map((file) => file.name);
  return `${examplesDir} holds a small home:
  workspace/         ${names.join(', ')}
  workspace/skills/  one skill; only its name and description cost tokens
  openclaw.yaml      a rule for Fridays, and the bundled handler time-context
  hooks/on-call/     a hook pack that names the team on call

Its agent is Wren, who looks after the releases and the help desk of a small company. It is Friday, 10:00, and its owner
writes to Wren. What does Wren read?
`;
}

function showLayers({ day, columns }: Tour): string {
  const { prompt, layers } = day.report;
  const table = formatTable(
    layers,
    {
      layer: (layer) => layer.title,
      changes: (layer) => CHANGES[layer.stability] ?? layer.stability,
      chars: (layer) => layer.chars,
      tokens: (layer) => layer.tokens,
    },
    columns,
  );
  return `${table}
${number(prompt.chars)} characters in all, about ${number(prompt.tokens)} tokens. The first ${number(prompt.stable.chars)} are the same for every conversation, so a
provider can cache them; what changes stands behind them. Rules and hooks that say how often they change are
placed for you.
`;
}

const CHANGES: Readonly<Record<string, string>> = {
  static: 'when you edit it',
  session: 'by session',
  run: 'by run',
};

function showSubagent({ subagent }: Tour): string {
  const kept = subagent.report.absences.filter(({ reason }) => reason === 'filtered-session');
  return `When Wren hands work to a subagent, some files stay behind. Nothing is left out without a reason:
${kept.map(({ what, reason, detail }) => `  ${what}: ${reason}. ${oneLine(detail)}.\n`).join('')}
No handler can hand them over either: files are filtered by name and by real path, before and after the handlers.
`;
}

function showNight({ day, night }: Tour): string {
  const { report, prompt } = night;
  const known = new Set(day.report.layers.map((layer) => layer.id));
  const added = report.layers.filter((layer) => !known.has(layer.id)).map((layer) => layer.title);
  const text = prompt.blocks.find((block) => block.stability === 'run')?.text.trim() ?? '';
  const stable = number(report.prompt.stable.chars);
  const verdict = report.change?.breaksCache
    ? 'The beginning of the prompt changed with it, so that a cache of it is lost.'
    : `The first ${stable} characters are the same as in the morning, so what the provider cached still counts.`;
  return `The same conversation at 23:30. New in the prompt: ${added.join(', ')}.
${verdict}

${indent(text)}
`;
}

function showBudget({ small }: Tour): string {
  const cuts = small.report.cuts.map(
    ({ file, lines: [first, last], chars, tokens, cause }) =>
      `  ${file} lines ${first}-${last}: ${number(chars)} characters (about ${number(tokens)} tokens) cut, ${cause}\n`,
  );
  const isKept = small.prompt.text.includes('Never delete a ticket. Close it, and say why.');
  return `Files that are too long are cut, and every cut is named:
${cuts.join('')}
AGENTS.md marks its section "Safety" with <!-- keep -->. It ${isKept ? 'is still there, whole' : 'was lost'}; if it did not fit, composing would
fail and say by how much.
`;
}

const QUESTIONS = [
  'Always name the ring.',
  'Today is Friday.',
  'On call today: the field team.',
  'running in Atrium, a gateway',
];

function showAuthors({ day, examplesDir, columns }: Tour): string {
  return `Every character has an author:
${formatTable(
  QUESTIONS.map((text) => ({ text, author: findAuthor(day.report.spans, text, examplesDir) })),
  {
    text: (row) => row.text,
    'comes from': (row) => row.author,
  },
  columns,
)}`;
}

function findAuthor(spans: readonly SpanReport[], text: string, examplesDir: string): string {
  const span = spans.find((each) => each.text.includes(text));
  if (span === undefined) return 'not in this prompt';
  const { origin } = span;
  const name = nameOf(origin);
  if (origin.kind !== 'file' || span.origin.lines === undefined) return name;
  const line = span.origin.lines[0] + span.text.slice(0, span.text.indexOf(text)).split('\n').length - 1;
  return `${relative(examplesDir, origin.path)}, line ${line}`;
}

function nameOf(origin: SpanReport['origin']): string {
  switch (origin.kind) {
    case 'file':
      return origin.path;
    case 'product':
      return `Atrium itself (${origin.part})`;
    case 'handler':
      return origin.id.startsWith('hook:') ? `the hook pack ${origin.id.slice(5)}` : `the handler ${origin.id}`;
    case 'rule':
      return `the rule ${origin.id.replace(/^rule:/, '')}`;
  }
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
