// docs/errors.md, made from the definitions of the errors. `npm run docs:errors` writes it; a test keeps the two equal.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { globSync } from 'tinyglobby';
import type { ErrorDefinition } from '../src/protocol/errors.ts';

export interface DefinedError {
  /** The name of its class. */
  readonly name: string;
  readonly definition: ErrorDefinition<never>;
}

export const ERRORS_PAGE = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** Every error of the product, in the order of the codes. */
export async function listErrors(): Promise<readonly DefinedError[]> {
  const files = globSync('src/**/errors.ts', { cwd: fileURLToPath(new URL('..', import.meta.url)), absolute: true });
  const modules: Record<string, Partial<DefinedError>>[] = [];
  // One after the other: the program that runs scripts hands out a module that is being loaded before it is whole.
  for (const file of files) modules.push(await import(/* @vite-ignore */ pathToFileURL(file).href));
  return modules
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, { definition }]) => (definition === undefined ? [] : [{ name, definition }]))
    .sort((a, b) => (a.definition.code < b.definition.code ? -1 : 1));
}

/** Throws when an error belongs to no section. */
export function generateErrorDocs(errors: readonly DefinedError[]): string {
  const stray = errors.find(({ definition }) => sectionOf(definition.code) === undefined);
  if (stray) throw new Error(`${stray.definition.code} belongs to no section of scripts/error-docs.ts.`);
  const sections = SECTIONS.map((section) => {
    const rows = errors.filter(({ definition }) => sectionOf(definition.code) === section).map(rowOf);
    const note = section.note === undefined ? '' : `${section.note}\n\n`;
    return `## ${section.title}\n\n${note}${HEAD}\n${rows.join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

interface Section {
  readonly title: string;
  readonly note?: string;
  /** What follows `ATRIUM_` in the codes of this section. The longest one that fits decides. */
  readonly families: readonly string[];
}

const SECTIONS: readonly Section[] = [
  { title: 'Configuration', families: ['CONFIG_'] },
  { title: 'Agents and workspaces', families: ['AGENT_', 'WORKSPACE_', 'BOOTSTRAP_', 'FILE_', 'EXAMPLES_'] },
  { title: 'Budget', families: ['BUDGET_'] },
  { title: 'Hooks and handlers', families: ['HOOK_'] },
  { title: 'Webhooks', families: ['WEBHOOK_'] },
  { title: 'Command line', families: ['CLI_'] },
  { title: 'Snapshots', families: ['SNAPSHOT_'] },
  {
    title: 'Tools',
    note: "A tool's error is a result that the model reads; the run goes on.",
    families: ['TOOL_', 'WEB_', 'PATCH_'],
  },
  { title: 'HTTP API', families: ['HTTP_', 'CLIENT_', 'RESPONSE_'] },
  { title: 'Starting and reaching a gateway', families: ['GATEWAY_', 'TOKEN_', 'CLI_GATEWAY_'] },
  { title: 'Runs', families: ['RUN_', 'INBOUND_', 'INJECTION_', 'ATTACHMENT_'] },
  { title: 'Records', families: ['BUNDLE_'] },
  { title: 'Models', families: ['MODEL_', 'SPEND_'] },
  { title: 'Store', families: ['STORE_', 'STATE_'] },
  { title: 'Several nodes', families: ['NODE_'] },
  { title: 'Delivery', families: ['DELIVERY_', 'DEADLETTER_', 'CHANNEL_', 'PAIRING_'] },
  { title: 'Sessions', families: ['SESSION_', 'PREVIEW_', 'APPROVAL_', 'SCHEDULE_', 'JOB_'] },
  { title: 'MCP servers', families: ['MCP_'] },
  { title: 'Functions for programs', families: ['OPTION_'] },
  { title: 'Plugins', families: ['PLUGIN_', 'INSTALL_'] },
];

function sectionOf(code: string): Section | undefined {
  const fits = SECTIONS.flatMap((section) => section.families.map((family) => ({ section, family })))
    .filter(({ family }) => code.startsWith(`ATRIUM_${family}`))
    .sort((a, b) => b.family.length - a.family.length);
  return fits[0]?.section;
}

const INTRODUCTION = `# Errors

Every error that Atrium raises on purpose has a class of its own, a code that does not change between versions, the
facts as fields, and the next step in its message. Programs compare the code; people read the message. Commands print
the message without a stack trace and exit with a code other than 0. The HTTP API answers with the status of the error.

What goes wrong with a single file or handler while a prompt is composed is no error: composing goes on, and the report
names it with a reason.

This page is made from the definitions in the code: change those, then run \`npm run docs:errors\`.
`;

const HEAD = '| code | class | status | what it means | what to do |\n| --- | --- | --- | --- | --- |';

function rowOf({ name, definition: { code, status = 500, means, remedy } }: DefinedError): string {
  return `| \`${code}\` | \`${name}\` | ${status} | ${means} | ${remedy} |`;
}
