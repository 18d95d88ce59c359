// A workspace, a state directory and a place outside of both, on a real disk and removed after the test; and
// composition over them with the real runner and with default settings.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Composition, compose } from '../context/compose.ts';
import type { ComposeInput, ContextPolicy } from '../context/composition.ts';
import { DEFAULT_POLICY } from '../context/default-policy.ts';
import type { Situation } from '../context/situation.ts';
import { CachedFileSource } from '../context/sources/file-source.ts';
import type { Skill } from '../context/sources/skills.ts';
import { TAXONOMIES, type TaxonomyId } from '../context/taxonomy.ts';
import { bootstrapHandlersOf } from '../gateway/composer/prepared-agents.ts';
import { type HandlerRegistration, HookRunner } from '../hooks/runner.ts';
import type { AgentBootstrapHookContext, InternalHookHandler } from '../protocol/bootstrap-event.ts';

export interface ScratchSituation extends Partial<Situation> {
  readonly taxonomy?: TaxonomyId;
  readonly policy?: Partial<ContextPolicy>;
  readonly skills?: readonly Skill[];
  readonly firstRunComplete?: boolean;
  readonly input?: Partial<ComposeInput>;
  readonly previous?: Composition;
}

export type ScratchFiles = Readonly<Record<string, string | Uint8Array>>;

type HandlerOptions = Partial<Omit<HandlerRegistration<InternalHookHandler>, 'hook' | 'id' | 'handler'>>;

/** A Wednesday, 10:00 UTC: neither night nor morning nor weekend. */
export const SCRATCH_TIME = new Date('2026-05-06T10:00:00Z');

export class ScratchWorkspace {
  #root = '';
  files = new CachedFileSource();
  runner = new HookRunner<InternalHookHandler>();

  /** `files` are texts by name, relative to the workspace. */
  static async create(files?: ScratchFiles): Promise<ScratchWorkspace> {
    const scratch = new ScratchWorkspace();
    await scratch.open(files);
    return scratch;
  }

  /** Starts again in new folders, without handlers. `remove` also removes the folders before. */
  async open(files: ScratchFiles = {}): Promise<void> {
    this.#root = await realpath(await mkdtemp(join(tmpdir(), 'atrium-')));
    this.files = new CachedFileSource();
    this.runner = new HookRunner<InternalHookHandler>();
    await Promise.all([this.workspaceDir, this.stateDir, this.outsideDir].map((dir) => mkdir(dir)));
    for (const [name, text] of Object.entries(files)) await this.write(name, text);
  }

  get root(): string {
    if (this.#root === '') throw new Error('The workspace is not open yet.');
    return this.#root;
  }

  get workspaceDir(): string {
    return join(this.root, 'workspace');
  }

  get stateDir(): string {
    return join(this.root, 'state');
  }

  get outsideDir(): string {
    return join(this.root, 'outside');
  }

  path(name: string): string {
    return join(this.workspaceDir, name);
  }

  write(name: string, text: string | Uint8Array): Promise<string> {
    return writeAt(this.path(name), text);
  }

  writeState(name: string, text: string): Promise<string> {
    return writeAt(join(this.stateDir, name), text);
  }

  writeOutside(name: string, text: string): Promise<string> {
    return writeAt(join(this.outsideDir, name), text);
  }

  /** Waits until the files that were just written are older than the resolution of the file system's clock. */
  age(): Promise<void> {
    return setTimeout(50);
  }

  /** Registers a handler that gets the context of its draft. Returns a function that removes it. */
  on(id: string, edit: (context: AgentBootstrapHookContext) => unknown, options: HandlerOptions = {}): () => void {
    return this.register(id, (event) => edit(event.context as unknown as AgentBootstrapHookContext), options);
  }

  register(id: string, handler: InternalHookHandler, options: HandlerOptions = {}): () => void {
    return this.runner.register({ hook: 'agent:bootstrap', owner: 'test', id, handler, ...options });
  }

  input(settings: ScratchSituation = {}): ComposeInput {
    const {
      taxonomy = 'openclaw',
      policy,
      skills = [],
      firstRunComplete = false,
      input,
      previous,
      ...situation
    } = settings;
    const files = TAXONOMIES[taxonomy];
    return {
      workspaceDir: this.workspaceDir,
      home: this.root,
      situation: { agentId: 'main', sessionType: 'interactive', at: SCRATCH_TIME, timezone: 'UTC', ...situation },
      taxonomy: files,
      policy: {
        ...DEFAULT_POLICY,
        subagentFiles: files.subagentFiles,
        withholdOnSharedSurfaces: files.privateFiles,
        ...policy,
      },
      files: this.files,
      handlers: bootstrapHandlersOf(this.runner),
      gather: { skills: async () => ({ skills, refused: [] }), firstRunComplete: async () => firstRunComplete },
      ...input,
    };
  }

  compose(settings: ScratchSituation = {}): Promise<Composition> {
    return compose(this.input(settings), settings.previous);
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }
}

async function writeAt(path: string, text: string | Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}
