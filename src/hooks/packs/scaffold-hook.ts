// The files of a new hook pack that works, has a test, and is short enough to be read before it is changed.
// `scaffoldHook` only composes text; `saveHookScaffold` writes it, and never over an existing file.

import { join } from 'node:path';
import { isDashedName, suggestDashedName, titleOfName } from '../../protocol/dashed-name.ts';
import { HookExistsError, HookNameTakenError, HookNotWritableError, InvalidHookNameError } from '../errors.ts';
import { saveNewFolder } from './save-new-folder.ts';

export interface HookScaffold {
  readonly name: string;
  readonly dir: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** What to tell the person who asked for the pack, one line each. */
  readonly nextSteps: readonly string[];
}

/** `hooksDir` is the directory that holds packs, such as `<state>/hooks`; `taken` are names of what comes along. */
export function scaffoldHook(hooksDir: string, name: string, taken: readonly string[] = []): HookScaffold {
  if (!isDashedName(name)) throw new InvalidHookNameError({ hookName: name, suggestion: suggestDashedName(name) });
  if (taken.includes(name)) throw new HookNameTakenError({ hook: name });
  const dir = join(hooksDir, name);
  return {
    name,
    dir,
    files: [
      { path: join(dir, 'HOOK.md'), text: hookMd(name) },
      { path: join(dir, 'handler.ts'), text: handler(name) },
      { path: join(dir, 'handler.test.ts'), text: handlerTest(name) },
    ],
    nextSteps: [
      `Edit ${join(dir, 'handler.ts')}: it is called for every prompt that is composed.`,
      `Run its test:      atrium hooks test ${name}`,
      `See what it adds:  atrium context preview`,
      `Switch it off:     atrium hooks disable ${name}`,
    ],
  };
}

export function saveHookScaffold(scaffold: HookScaffold): Promise<void> {
  return saveNewFolder(scaffold, {
    exists: () => new HookExistsError({ hook: scaffold.name, dir: scaffold.dir }),
    notWritable: (cause) => new HookNotWritableError({ dir: scaffold.dir }, { cause }),
  });
}

function hookMd(name: string): string {
  return `---
name: ${name}
description: "Adds a short section to AGENTS.md."
metadata: { "openclaw": { "events": ["agent:bootstrap"], "priority": 150 } }
---

# ${titleOfName(name)}

Adds a short section to AGENTS.md each time a prompt is composed.

- \`handler.ts\` does the work. It edits a private draft: if it throws or takes too long, nothing of it is used and the
  report says so.
- \`handler.test.ts\` tests it: \`atrium hooks test ${name}\`.
- \`priority\` above decides the order; lower numbers run first. \`stability\` (\`static\`, \`session\` or \`run\`) promises how
  often the text changes, \`onError: "abort"\` refuses to go on without it, \`timeoutMs\` limits its time.
`;
}

function handler(name: string): string {
  return `import { BootstrapFileHelper, type InternalHookEvent, isAgentBootstrapEvent } from 'atrium/context';

const SECTION = \`## ${titleOfName(name)}

Write here what the agent should know.\`;

export default function handler(event: InternalHookEvent): void {
  if (!isAgentBootstrapEvent(event)) return;
  // event.context also knows agentId, sessionType, timeContext, channelContext and cfg.
  const files = new BootstrapFileHelper(event.context);
  files.appendToFile('AGENTS.md', SECTION);
}
`;
}

function handlerTest(name: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import handler from './handler.ts';

function bootstrapEvent() {
  return {
    type: 'agent',
    action: 'bootstrap',
    sessionKey: 'agent:main:main',
    context: {
      workspaceDir: '/workspace',
      bootstrapFiles: [{ name: 'AGENTS.md', path: '/workspace/AGENTS.md', content: 'Be kind.', missing: false }],
    },
    timestamp: new Date(0),
    messages: [],
  };
}

test('${name} appends its section to AGENTS.md and keeps what was there', async () => {
  const event = bootstrapEvent();
  await handler(event);
  const [agents] = event.context.bootstrapFiles;
  assert.ok(agents?.content.startsWith('Be kind.'));
  assert.match(agents.content, /## ${titleOfName(name)}/);
});

test('${name} leaves other events alone', async () => {
  const event = { ...bootstrapEvent(), type: 'command', action: 'new' };
  await handler(event);
  assert.deepEqual(event.context, bootstrapEvent().context);
});
`;
}
