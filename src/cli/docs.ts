// `atrium docs`: the documents of this version, which are part of the package, in the terminal. In a terminal they are shown
// by the person's pager; in a pipe, or without a pager, they are printed.

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS, type DocumentTopic, docsCommand } from '../protocol/documents.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { CliIo } from './cli-io.ts';
import { command } from './command.ts';
import { UnknownDocumentError } from './errors.ts';
import { productFolder } from './product-folder.ts';

export const docs = command({
  path: 'docs',
  summary: 'read the documents of this version; without a topic, list them',
  args: { '[topic]': 'which document' },
  words: Object.keys(DOCUMENTS),
  options: { '--no-pager': 'print it, also in a terminal' },
  examples: ['docs', 'docs models', 'docs config | grep gateway'],
  notes:
    'In a terminal the document is shown by PAGER, else by less. A link in it to models.md is the topic "models" here.',
  async run({ topic, pager }, { io }) {
    if (topic === undefined) {
      const topics = Object.entries(DOCUMENTS).map(([name, about]) => ({ topic: name, about }));
      return { json: { topics }, text: formatTopics() };
    }
    const name = topicOf(topic);
    const file = join(productFolder(), 'docs', `${name}.md`);
    const text = await readFile(file, 'utf8');
    const isShown = pager && io.isTerminal && (await showInPager(text, io));
    return { json: { topic: name, file, text }, text: isShown ? undefined : text };
  },
});

function formatTopics(): string {
  const width = Math.max(...Object.keys(DOCUMENTS).map(({ length }) => length));
  const lines = Object.entries(DOCUMENTS).map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return `${lines.join('\n')}\n\nRead one with: ${docsCommand('models')}\n`;
}

/** People also write the name of the file, as a link or another document has it. */
function topicOf(given: string): DocumentTopic {
  const name = given
    .toLowerCase()
    .replace(/^docs\//, '')
    .replace(/\.md$/, '');
  if (Object.hasOwn(DOCUMENTS, name)) return name as DocumentTopic;
  const topics = Object.keys(DOCUMENTS);
  const withIt = name.length < 3 ? [] : topics.filter((topic) => topic.includes(name));
  const suggestion = nearMatch(name, topics) ?? (withIt.length === 1 ? withIt[0] : undefined);
  throw new UnknownDocumentError({ topic: given, suggestion });
}

/** False when there is no pager, or it could not be started; then nothing was shown. */
async function showInPager(text: string, { environment }: CliIo): Promise<boolean> {
  const { PAGER, LESS } = environment.variables;
  if (PAGER !== undefined && PAGER.trim() === '') return false;
  // A shell reads the variable, because it may hold flags. Status 127 says that there is no such program.
  const child = spawn('sh', ['-c', PAGER ?? 'less'], {
    stdio: ['pipe', 'inherit', 'inherit'],
    // A text that fits the screen is printed, and stays there.
    env: { ...environment.variables, LESS: LESS ?? 'FRX' },
  });
  // A reader who leaves before the end closes the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', resolve);
  });
  return status !== 127;
}
