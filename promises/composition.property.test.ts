// What must hold for every workspace, every handler and every budget, checked with random ones. A failure prints its
// seed.

import { mkdir, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../src/config/environment.ts';
import { BootstrapFileHelper } from '../src/context/bootstrap-file-helper.ts';
import type { Composition } from '../src/context/compose.ts';
import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from '../src/context/errors.ts';
import { OPENCLAW_TAXONOMY } from '../src/context/taxonomy.ts';
import { ContextEngine } from '../src/gateway/composer/context-engine.ts';
import { HookRunner } from '../src/hooks/runner.ts';
import type { AgentBootstrapHookContext } from '../src/protocol/bootstrap-event.ts';
import { STABILITIES, type Stability } from '../src/protocol/handler.ts';
import { anyString } from '../src/testkit/any-string.ts';
import { forAllAsync } from '../src/testkit/for-all.ts';
import { HANDLERS_IN_THIS_THREAD } from '../src/testkit/handlers-in-this-thread.ts';
import { SCRATCH_TIME, type ScratchSituation, ScratchWorkspace } from '../src/testkit/scratch-workspace.ts';

const NAMES = OPENCLAW_TAXONOMY.files.map(({ name }) => name);
const ALLOWED = new Set(OPENCLAW_TAXONOMY.subagentFiles);

let scratch: ScratchWorkspace;

beforeAll(async () => {
  scratch = await ScratchWorkspace.create();
});
// The previous test may have left a broken link, through which nothing can be written.
beforeEach(() => Promise.all([empty(scratch.workspaceDir), empty(scratch.stateDir)]));
afterAll(() => scratch.remove());

async function empty(dir: string): Promise<void> {
  await Promise.all((await readdir(dir)).map((name) => rm(join(dir, name), { recursive: true })));
}

async function writeAll(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  await empty(scratch.workspaceDir);
  await Promise.all(Object.entries(files).map(([name, text]) => scratch.write(name, text)));
}

/** Text with everything in it that a stage looks for. */
const markdown = fc
  .array(
    fc.constantFrom(
      'word ',
      'never push\n',
      '# Heading\n',
      '<!-- keep -->\n',
      '<!-- keep -->\n## Safety\n',
      '\n\n---\n\n',
      '```\n',
      '😀',
      '\ud83d',
      '代理',
      '\r\n',
      '\0',
      'x'.repeat(300),
      '[MISSING] Expected at: x',
      '---\nname: x\n---\n',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
const workspace = fc.dictionary(fc.constantFrom(...NAMES, 'memory.md'), markdown, { noNullPrototype: true });

/** What a handler may do to its draft: well-meant, clumsy, or hostile. */
type Action = (context: AgentBootstrapHookContext, paths: readonly string[]) => void;

const anyName = fc.constantFrom(...NAMES, 'memory.md', 'Memory.md', 'NOTES.md', '../MEMORY.md', 'constructor', 'a\nb');
const index = fc.nat(9);
const helperCalls = ['addFile', 'prependToFile', 'appendToFile', 'replaceFileContent'] as const;
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(fc.constantFrom(...helperCalls), anyName, markdown).map(([call, name, text]): Action => {
    return (context) => new BootstrapFileHelper(context)[call](name, text);
  }),
  anyName.map(
    (name): Action =>
      (context) =>
        new BootstrapFileHelper(context).removeFile(name),
  ),
  fc.tuple(anyName, index, markdown).map(([name, at, content]): Action => {
    return ({ bootstrapFiles }, paths) => {
      bootstrapFiles.push({ name, path: paths[at % paths.length] ?? '', content, missing: false });
    };
  }),
  fc.tuple(index, anyName).map(([at, name]): Action => {
    return ({ bootstrapFiles }) => {
      const file = bootstrapFiles[at];
      if (file) file.name = name;
    };
  }),
  fc.tuple(index, index).map(([at, to]): Action => {
    return ({ bootstrapFiles }, paths) => {
      const file = bootstrapFiles[at];
      if (file) file.path = paths[to % paths.length] ?? '';
    };
  }),
  fc.tuple(index, markdown, fc.boolean()).map(([at, text, behind]): Action => {
    return ({ bootstrapFiles }) => {
      const file = bootstrapFiles[at];
      if (file) file.content = behind ? `${file.content ?? ''}${text}` : text + (file.content ?? '').slice(text.length);
    };
  }),
  fc.tuple(index, fc.boolean()).map(([at, missing]): Action => {
    return ({ bootstrapFiles }) => {
      const file = bootstrapFiles[at];
      if (file) file.missing = missing;
    };
  }),
  fc.tuple(index, fc.nat(3)).map(
    ([at, count]): Action =>
      ({ bootstrapFiles }) =>
        void bootstrapFiles.splice(at, count),
  ),
  fc.constant<Action>(({ bootstrapFiles }) => void bootstrapFiles.reverse()),
  fc.constant<Action>((context) => {
    context.bootstrapFiles = context.bootstrapFiles.map((file) => ({ ...file }));
  }),
  fc.constant<Action>(() => {
    throw new Error('by chance');
  }),
);

interface RandomHandler {
  readonly actions: readonly Action[];
  readonly stability: Stability | undefined;
}

const handlers: fc.Arbitrary<RandomHandler[]> = fc.array(
  fc.record({
    actions: fc.array(action, { maxLength: 4 }),
    stability: fc.option(fc.constantFrom(...STABILITIES), { nil: undefined }),
  }),
  { maxLength: 5 },
);

function register(random: readonly RandomHandler[], paths: readonly string[], delay?: (id: number) => number): void {
  scratch.runner = new HookRunner();
  const order = random.map((_, id) => id);
  if (delay) order.sort((a, b) => delay(a) - delay(b));
  for (const id of order) {
    const { actions = [], stability } = random[id] ?? {};
    const act = (context: AgentBootstrapHookContext) => {
      for (const each of actions) each(context, paths);
    };
    scratch.on(
      `handler ${id}`,
      delay
        ? async (context) => {
            await sleep(delay(id));
            act(context);
          }
        : act,
      { priority: id, stability },
    );
  }
}

async function composeOrRefuse(settings: ScratchSituation): Promise<Composition | undefined> {
  try {
    return await scratch.compose(settings);
  } catch (error) {
    // The only two refusals that random input may cause.
    if (error instanceof KeptSectionsOverBudgetError || error instanceof KeptSectionsOverTokenBudgetError)
      return undefined;
    throw error;
  }
}

function expectFullCoverage({ prompt, report }: Composition): void {
  let end = 0;
  for (const span of report.spans) {
    expect(span.start).toBe(end);
    expect(span.text).not.toBe('');
    expect(prompt.text.slice(span.start, span.end)).toBe(span.text);
    end = span.end;
  }
  expect(end).toBe(prompt.text.length);
  expect(prompt.blocks.map(({ text }) => text).join('')).toBe(prompt.text);
}

const sessions: fc.Arbitrary<ScratchSituation> = fc.constantFrom(
  {},
  { sessionKey: 'agent:main:subagent:1', sessionType: 'subagent' },
  { sessionKey: 'agent:main:discord:group:1' },
  { trigger: 'heartbeat', sessionType: 'scheduled' },
  { taxonomy: 'openboa' },
);

describe('composition', () => {
  it('gives the same bytes for every timing of the handlers and every order of their registration', async () => {
    const paths = ['NOTES.md', '<dynamic:x>', 'sub/AGENTS.md'];
    const delays = fc.array(fc.nat(5), { minLength: 5, maxLength: 5 });
    await forAllAsync([workspace, handlers, delays, sessions], 60, async (files, random, drawn, session) => {
      await writeAll(files);
      register(random, paths);
      const first = await composeOrRefuse(session);
      register(random, paths, (id) => drawn[id] ?? 0);
      const second = await composeOrRefuse(session);
      expect(second?.prompt.text).toBe(first?.prompt.text);
      expect(second?.report.spans).toEqual(first?.report.spans);
      expect(second?.report.absences).toEqual(first?.report.absences);
      expect(second?.files).toEqual(first?.files);
    });
  });

  it('knows the author of every character, in order, without gap or overlap', async () => {
    const limits = fc.record({
      maxChars: fc.integer({ min: 1, max: 3_000 }),
      totalMaxChars: fc.integer({ min: 1, max: 6_000 }),
      maxTokens: fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: undefined }),
      policyDigest: fc.boolean(),
      missingMarkers: fc.constantFrom('required' as const, 'all' as const),
      keep: fc.constantFrom([], ['AGENTS.md#Safety', 'SOUL.md#Heading']),
    });
    await forAllAsync([workspace, handlers, limits, sessions], 150, async (files, random, policy, session) => {
      await writeAll(files);
      register(random, ['NOTES.md', '<dynamic:x>', 'sub/AGENTS.md', '/elsewhere/SOUL.md']);
      const composition = await composeOrRefuse({ ...session, policy });
      if (composition) expectFullCoverage(composition);
    });
  });
});

describe('the budget', () => {
  const sizes = fc.array(fc.nat(2_500), { minLength: NAMES.length, maxLength: NAMES.length });
  const order = fc.shuffledSubarray(NAMES, { minLength: 0, maxLength: NAMES.length });

  it('is kept, gives way by priority only, and drops nothing more when it grows', async () => {
    const total = fc.integer({ min: 1, max: 8_000 });
    await forAllAsync([sizes, order, total, fc.nat(2_000)], 80, async (lengths, priority, totalMaxChars, more) => {
      await writeAll(
        Object.fromEntries(NAMES.map((name, i) => [name, 'lorem ipsum '.repeat(300).slice(0, lengths[i])])),
      );
      scratch.runner = new HookRunner();
      const at = async (limit: number) => {
        const policy = { maxChars: 1_000, totalMaxChars: limit, priority };
        const { report } = await scratch.compose({ policy });
        expect(report.budget.usedChars).toBeLessThanOrEqual(limit);
        for (const file of report.files) expect(file.injectedChars).toBeLessThanOrEqual(1_000);
        const dropped = report.absences.filter(({ reason }) => reason === 'over-budget').map(({ what }) => what);
        return { dropped: new Set(dropped), shown: new Set(report.layers.map(({ title }) => title)) };
      };
      const less = await at(totalMaxChars);
      const enough = await at(totalMaxChars + more);
      for (const name of enough.dropped) expect(less.dropped).toContain(name);
      for (const name of less.shown) expect(enough.shown).toContain(name);
      // In the order of priority: no file is dropped while a less important one is shown.
      const ranked = [...priority, ...NAMES.filter((name) => !priority.includes(name))];
      const shown = ranked.map((name) => less.shown.has(name)).lastIndexOf(true);
      expect(ranked.slice(0, Math.max(0, shown)).filter((name) => less.dropped.has(name))).toEqual([]);
    });
  });

  it('in tokens is kept as the report counts them', async () => {
    await forAllAsync([workspace, handlers, fc.integer({ min: 1, max: 800 })], 60, async (files, random, maxTokens) => {
      await writeAll(files);
      register(random, ['NOTES.md', '<dynamic:x>']);
      const composition = await composeOrRefuse({ policy: { maxTokens } });
      const kept = composition?.report.spans.some(({ text }) => text.includes('<!-- keep'));
      if (!composition || kept) return;
      expect(composition.report.layers.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(maxTokens);
    });
  });
});

describe('no sequence of handlers', () => {
  const secrets = Object.fromEntries(
    NAMES.filter((name) => !ALLOWED.has(name)).map((name) => [name, `SECRET of ${name}`]),
  );

  async function secretWorkspace(): Promise<string[]> {
    await writeAll({
      'AGENTS.md': 'agents',
      'SOUL.md': 'soul',
      'notes.md': 'notes',
      ...secrets,
      'sub/MEMORY.md': 'nested',
    });
    await symlink('MEMORY.md', scratch.path('link.md'));
    await symlink('.', scratch.path('here'));
    await rm(scratch.path('HEARTBEAT.md'));
    await symlink('notes.md', scratch.path('HEARTBEAT.md'));
    return [
      scratch.path('MEMORY.md'),
      'MEMORY.md',
      'sub/../MEMORY.md',
      'sub/MEMORY.md',
      '~/workspace/BOOTSTRAP.md',
      scratch.path('link.md'),
      'here/here/MEMORY.md',
      scratch.path('notes.md'),
      'AGENTS.md',
      '<dynamic:MEMORY.md>',
    ];
  }

  it('brings a file to a subagent that it may not read', async () => {
    const paths = await secretWorkspace();
    const forbidden = new Set(
      await Promise.all(['MEMORY.md', 'HEARTBEAT.md', 'BOOTSTRAP.md'].map((name) => realpath(scratch.path(name)))),
    );
    await forAllAsync([handlers, fc.constantFrom('subagent:1', 'cron:daily')], 250, async (random, rest) => {
      register(random, paths);
      const composition = await composeOrRefuse({ sessionKey: `agent:main:${rest}` });
      if (!composition) return;
      for (const { name, path } of composition.files) {
        expect(ALLOWED).toContain(name);
        const real = await realpath(path).catch(() => path);
        expect(forbidden).not.toContain(real);
        if (NAMES.includes(basename(real))) expect(ALLOWED).toContain(basename(real));
      }
      expect(composition.prompt.text).not.toContain('SECRET');
    });
  });

  it('brings the memory to a surface that several people read', async () => {
    const paths = await secretWorkspace();
    await forAllAsync([handlers], 150, async (random) => {
      register(random, paths);
      const composition = await composeOrRefuse({ sessionKey: 'agent:main:slack:channel:1' });
      if (!composition) return;
      for (const { name, path } of composition.files) {
        expect(name.toLowerCase()).not.toBe('memory.md');
        expect(basename(await realpath(path).catch(() => path)).toLowerCase()).not.toBe('memory.md');
      }
      expect(composition.prompt.text).not.toContain('SECRET of MEMORY.md');
    });
  });
});

describe('no file name, link or way upward', () => {
  const steps = fc.array(
    fc.constantFrom('..', '.', 'outside', 'workspace', 'skills', 'sub', 'loop', 'out', 'AGENTS.md'),
    { minLength: 1, maxLength: 6 },
  );
  const somewhere = fc.oneof(
    steps.map((parts) => parts.join('/')),
    steps.map((parts) => `ROOT/${parts.join('/')}`),
    fc.constantFrom('ROOT/outside/secret.md', 'ROOT/outside', '../outside/secret.md', 'out/secret.md', '/', ''),
  );
  const places = fc.constantFrom(
    ...[
      'AGENTS.md',
      'SOUL.md',
      'MEMORY.md',
      'memory.md',
      'skills',
      'skills/a',
      'skills/a/SKILL.md',
      'sub',
      'sub/AGENTS.md',
    ],
    ...['out', 'loop', '.openclaw', '../state/AGENTS.md', '../state/agents', '../state/agents/main', '../state/skills'],
  );

  it('reads outside of the roots', async () => {
    await mkdir(join(scratch.outsideDir, 'hidden'), { recursive: true });
    for (const name of ['secret.md', 'AGENTS.md', 'SKILL.md', 'hidden/SKILL.md', 'hidden/AGENTS.md', 'rule.md'])
      await writeFile(join(scratch.outsideDir, name), '---\nname: SECRET\ndescription: SECRET\n---\nSECRET');
    const environment = readEnvironment(
      { HOME: scratch.root, OPENCLAW_STATE_DIR: scratch.stateDir, TZ: 'UTC' },
      () => scratch.root,
      scratch.root,
    );
    const links = fc.array(fc.tuple(places, somewhere), { maxLength: 6 });
    await forAllAsync([links, somewhere, somewhere, somewhere], 150, async (drawn, agentId, pattern, from) => {
      const rooted = (path: string) => path.replace('ROOT', scratch.root);
      await Promise.all([empty(scratch.workspaceDir), empty(scratch.stateDir)]);
      for (const [place, target] of drawn) {
        await linkInside(scratch.root, scratch.path(place), rooted(target) || '.');
      }
      const engine = new ContextEngine({
        environment,
        handlers: HANDLERS_IN_THIS_THREAD,
        config: {
          bootstrap: {
            hooks: { 'bootstrap-extra-files': { paths: [rooted(pattern), `${rooted(pattern)}/*`] } },
            rules: [{ id: 'r', file: 'AGENTS.md', from: rooted(from) || 'x' }],
          },
        },
      });
      const { prompt } = await engine.compose({ workspaceDir: scratch.workspaceDir, agentId, at: SCRATCH_TIME });
      expect(prompt.text).not.toContain('SECRET');
    });
  });
});

/** Earlier links may lead upward, and the test must not create files outside of its folder. */
async function linkInside(root: string, path: string, target: string): Promise<void> {
  const isInside = async (dir: string) => `${await realpath(dir).catch(() => '')}/`.startsWith(`${root}/`);
  const folder = dirname(path);
  if (await isInside(dirname(folder))) await mkdir(folder).catch(() => {});
  if (await isInside(folder)) await symlink(target, path).catch(() => {});
}

describe('any bytes at all', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    markdown.map((text) => Buffer.from(text)),
    anyString({ maxLength: 200 }).map((text) => Buffer.from(text, 'utf16le')),
  );

  it('in any file give a prompt', async () => {
    const names = fc.constantFrom(...NAMES, 'memory.md', '.openclaw/workspace-state.json', 'skills/a/SKILL.md');
    const environment = readEnvironment(
      { HOME: scratch.root, OPENCLAW_STATE_DIR: scratch.stateDir, TZ: 'UTC' },
      () => scratch.root,
      scratch.root,
    );
    await forAllAsync([fc.dictionary(names, bytes, { noNullPrototype: true }), bytes], 150, async (files, shared) => {
      await Promise.all([writeAll(files), scratch.writeState('AGENTS.md', shared as never)]);
      const engine = new ContextEngine({
        environment,
        handlers: HANDLERS_IN_THIS_THREAD,
        config: { agents: { defaults: { bootstrapMaxChars: 300 } } },
      });
      const request = { workspaceDir: scratch.workspaceDir, at: SCRATCH_TIME };
      const composition = await engine.compose(request).catch((error: unknown) => {
        if (error instanceof KeptSectionsOverBudgetError) return undefined;
        throw error;
      });
      if (composition) expectFullCoverage(composition);
    });
  });
});
