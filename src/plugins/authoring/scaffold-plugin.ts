// The files of a new plugin: one hook, one tool, a schema for its settings and a test that runs both in a real gateway,
// short enough to be read before it is changed. `scaffoldPlugin` only composes text; `savePluginScaffold` writes it, and
// never over something that exists.

import { join } from 'node:path';
import { saveNewFolder } from '../../hooks/packs/save-new-folder.ts';
import { isDashedName, suggestDashedName, titleOfName } from '../../protocol/dashed-name.ts';
import { InvalidPluginIdError, PluginFolderExistsError, PluginNotWritableError } from '../errors.ts';

export interface PluginScaffold {
  readonly id: string;
  readonly dir: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** `typesDir` is where the product has its types, which the project names. */
export function scaffoldPlugin(dir: string, id: string, typesDir: string): PluginScaffold {
  if (!isDashedName(id)) throw new InvalidPluginIdError({ pluginId: id, suggestion: suggestDashedName(id) });
  const names: Names = { id, title: titleOfName(id), tool: `${id.replaceAll('-', '_')}_greet` };
  const texts = {
    'package.json': packageJson(names),
    'openclaw.plugin.json': manifest(names),
    'index.ts': entry(names),
    'index.test.ts': entryTest(names),
    'tsconfig.json': tsconfig(typesDir),
    'README.md': readme(names),
  };
  return { id, dir, files: Object.entries(texts).map(([name, text]) => ({ path: join(dir, name), text })) };
}

export function savePluginScaffold({ dir, files }: PluginScaffold): Promise<void> {
  return saveNewFolder(
    { dir, files },
    {
      exists: () => new PluginFolderExistsError({ dir }),
      notWritable: (cause) => new PluginNotWritableError({ dir }, { cause }),
    },
  );
}

interface Names {
  readonly id: string;
  readonly title: string;
  readonly tool: string;
}

function packageJson({ id, title }: Names): string {
  const value = {
    name: id,
    version: '0.1.0',
    description: `${title}: a plugin for agents.`,
    type: 'module',
    files: ['index.ts', 'openclaw.plugin.json', 'README.md'],
    scripts: { types: 'tsc' },
    devDependencies: { '@types/node': '^20.19.0', typescript: '^6.0.0' },
    openclaw: { extensions: ['./index.ts'] },
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function tsconfig(typesDir: string): string {
  const sdk = [join(typesDir, 'openclaw-sdk.d.ts')];
  const value = {
    compilerOptions: {
      target: 'ES2023',
      module: 'ESNext',
      moduleResolution: 'Bundler',
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      paths: {
        'atrium/testkit': [join(typesDir, 'testkit.d.ts')],
        'atrium/plugin-sdk': sdk,
        'atrium/plugin-sdk/*': sdk,
        'openclaw/plugin-sdk': sdk,
        'openclaw/plugin-sdk/*': sdk,
      },
    },
    include: ['**/*.ts'],
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function manifest({ id, title, tool }: Names): string {
  const value = {
    id,
    name: title,
    description: 'Greets people in the words that the operator chose.',
    contracts: { tools: [tool] },
    configSchema: {
      type: 'object',
      additionalProperties: false,
      properties: { greeting: { type: 'string', default: 'Hello' } },
    },
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function entry({ id, title, tool }: Names): string {
  return `import { definePluginEntry } from 'atrium/plugin-sdk';

export default definePluginEntry({
  id: '${id}',
  name: '${title}',
  description: 'Greets people in the words that the operator chose.',
  register(api) {
    // Checked against configSchema in openclaw.plugin.json, with its defaults filled in.
    const greeting = String(api.pluginConfig.greeting);

    // A hook: what it returns stands before the message in the model's request.
    api.on('before_prompt_build', () => ({
      prependContext: \`In this house people are greeted with "\${greeting}".\`,
    }));

    // A tool: what it returns is what the model reads.
    api.registerTool({
      name: '${tool}',
      label: 'Greet',
      description: 'Greets a person by name.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Who is greeted.' } },
        required: ['name'],
        additionalProperties: false,
      },
      async execute(_toolCallId, params) {
        return { content: [{ type: 'text', text: \`\${greeting}, \${params.name}!\` }] };
      },
    });
  },
});
`;
}

function entryTest({ id, tool }: Names): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reply, testPlugin, toolCall } from 'atrium/testkit';

const folder = new URL('.', import.meta.url);

test('${id} tells the model how people are greeted', async (t) => {
  const plugin = await testPlugin(folder, { config: { greeting: 'Ahoy' } });
  t.after(() => plugin.close());
  plugin.modelAnswers(reply('Ahoy!'));

  assert.equal(await plugin.says('Say something nice.'), 'Ahoy!');
  assert.match(plugin.modelWasSent[0] ?? '', /people are greeted with/);
  assert.match(plugin.modelWasSent[0] ?? '', /Ahoy/);
});

test('${id} greets the person that the model names', async (t) => {
  const plugin = await testPlugin(folder);
  t.after(() => plugin.close());
  plugin.modelAnswers(toolCall('${tool}', { name: 'Ana' }), reply('I greeted her.'));

  assert.equal(await plugin.says('Greet Ana.'), 'I greeted her.');
  assert.match(plugin.modelWasSent[1] ?? '', /Hello, Ana!/);
});

test('${id} loads without a complaint', async (t) => {
  const plugin = await testPlugin(folder);
  t.after(() => plugin.close());

  assert.deepEqual(plugin.status.hooks.map(({ hook, state }) => [hook, state]), [['before_prompt_build', 'armed']]);
  assert.deepEqual(plugin.status.tools, ['${tool}']);
  assert.deepEqual(plugin.status.notes, []);
});
`;
}

function readme({ id, title, tool }: Names): string {
  return `# ${title}

Greets people in the words that the operator chose: a hook tells the model, and the tool \`${tool}\` does it.

    atrium plugins test .          run index.test.ts in a gateway that is gone afterwards
    atrium plugins install .       copy it into the state directory; a running gateway loads it at once
    atrium plugins inspect ${id}   what it registered, and whether its hooks are armed

Settings, in \`openclaw.json\`:

    { "plugins": { "entries": { "${id}": { "config": { "greeting": "Ahoy" } } } } }

- \`index.ts\` is the plugin; its imports from \`atrium/plugin-sdk\` are given to it when it is loaded.
- \`tsconfig.json\` says where Atrium has its types on this machine; \`npm install\` once, then \`npm run types\` checks them.
- \`openclaw.plugin.json\` names it, its tools and what its settings may be.
`;
}
