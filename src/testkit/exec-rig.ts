// `exec` and `process` for tests, on their own workspace and store: what they decide, and what they do with the grant
// that the gate would pass on.

import { onTestFinished } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { SessionSight } from '../sessions/session-visibility.ts';
import type { Store } from '../store/store.ts';
import { checkParams } from '../tools/check-params.ts';
import { ToolInputError } from '../tools/errors.ts';
import { BackgroundProcesses, type BackgroundProcessesOptions } from '../tools/exec/background-processes.ts';
import { createExecTool, type ExecPolicy } from '../tools/exec/exec.ts';
import type { Variables } from '../tools/exec/exec-environment.ts';
import { createProcessTool } from '../tools/exec/process.ts';
import { runTool } from '../tools/run-tool.ts';
import type { Tool, ToolContext, ToolDecision, ToolGrant, ToolOutput } from '../tools/tool.ts';
import { ScratchStore } from './scratch-store.ts';
import { ScratchWorkspace } from './scratch-workspace.ts';
import { toolContextForTest } from './tool-context.ts';

export interface ExecRigSettings {
  readonly policy?: Partial<ExecPolicy> | undefined;
  readonly variables?: Variables | undefined;
  readonly visibility?: 'self' | 'agent' | undefined;
  readonly now?: (() => number) | undefined;
  readonly processes?: Partial<BackgroundProcessesOptions> | undefined;
}

export class ExecRig {
  readonly scratch: ScratchWorkspace;
  readonly processes: BackgroundProcesses;
  readonly exec: Tool;
  readonly process: Tool;
  readonly warnings: string[] = [];
  readonly #scratchStore: ScratchStore;

  private constructor(scratch: ScratchWorkspace, scratchStore: ScratchStore, settings: ExecRigSettings) {
    const { policy, variables = {}, visibility = 'self', now = Date.now } = settings;
    this.scratch = scratch;
    this.#scratchStore = scratchStore;
    const { store } = scratchStore;
    this.processes = this.reopened({ now, ...settings.processes });
    const policyOf = () => ({
      security: 'allowlist' as const,
      ask: 'on-miss' as const,
      allow: [],
      env: [],
      timeoutSeconds: 20,
      maxOutputChars: 20_000,
      ...policy,
    });
    this.exec = createExecTool({ store, processes: this.processes, policyOf, variables, now });
    this.process = createProcessTool({ processes: this.processes, now, sight: new SessionSight(store, visibility) });
  }

  /** The rig is removed after the test. */
  static async create(settings: ExecRigSettings = {}): Promise<ExecRig> {
    const rig = await ExecRig.open(settings);
    onTestFinished(() => rig.remove());
    return rig;
  }

  static async open(settings: ExecRigSettings = {}): Promise<ExecRig> {
    return new ExecRig(await ScratchWorkspace.create(), await ScratchStore.create(), settings);
  }

  get store(): Store {
    return this.#scratchStore.store;
  }

  get dir(): string {
    return `${this.scratch.stateDir}/exec`;
  }

  /** Returns the processes as the next gateway on the same store sees them. */
  reopened(settings: Partial<BackgroundProcessesOptions> = {}): BackgroundProcesses {
    const { store, dir, warnings } = this;
    const warn = (sentence: string) => void warnings.push(sentence);
    return new BackgroundProcesses({ store, dir, now: Date.now, warn, ...settings });
  }

  /** Only parameters that fit the schema are decided on, as in the gate. */
  async decide(params: JsonObject, context: Partial<ToolContext> = {}): Promise<ToolDecision | undefined> {
    const problems = await checkParams(this.exec, params);
    if (problems.length > 0) throw new ToolInputError({ tool: this.exec.name, problems });
    return this.exec.decide?.(params, this.#context(context));
  }

  /**
   * Runs with the grant that it decides on, as the gate does; `grant` stands for the decision of a person or of another
   * part.
   */
  async run(params: JsonObject, context: Partial<ToolContext> = {}): Promise<ToolOutput> {
    const decision = 'grant' in context ? undefined : await this.decide(params, context);
    const grant = decision?.kind === 'allow' ? decision.grant : context.grant;
    return runTool(this.exec, params, this.#context({ ...context, grant }), { timeoutMs: this.exec.timeoutMs });
  }

  /** Runs as if a person had approved. */
  runApproved(params: JsonObject, context: Partial<ToolContext> = {}): Promise<ToolOutput> {
    const grant: ToolGrant = { kind: 'approval', approvalId: 'test' };
    return this.run(params, { ...context, grant });
  }

  look(params: JsonObject, context: Partial<ToolContext> = {}): Promise<ToolOutput> {
    return runTool(this.process, params, this.#context(context));
  }

  #context(context: Partial<ToolContext>): ToolContext {
    return toolContextForTest({ workspaceDir: this.scratch.workspaceDir, ...context });
  }

  async remove(): Promise<void> {
    const running = await this.store.select('processes', { where: { status: 'running' } });
    await Promise.all(running.map((row) => this.processes.kill(row)));
    this.processes.close();
    await this.#scratchStore.remove();
    await this.scratch.remove();
  }
}
