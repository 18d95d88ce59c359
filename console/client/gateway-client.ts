// The page's HTTP requests to the gateway. The token travels in a header and as a subprotocol, never in an address.
// Errors: an answer that is not a success is a `RefusedError` with its status; when the gateway cannot be reached, the
// error of `fetch` is thrown.

import type { RequestMeasure } from '../../src/agent/measure-request.ts';
import type { RequestSpan } from '../../src/agent/request-draft.ts';
import type { RequestFrame } from '../../src/agent/request-frame.ts';
import type { ListedCommand } from '../../src/commands/list-commands.ts';
import type { Aside } from '../../src/gateway/services/read-asides.ts';
import type { WaitingSetting } from '../../src/gateway/settings/config-state.ts';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { AttachmentRef, Upload } from '../../src/protocol/attachment.ts';
import type { ChildView } from '../../src/protocol/child-view.ts';
import type { SessionType } from '../../src/protocol/session-type.ts';
import type { TimelineStep } from '../../src/protocol/timeline-step.ts';
import type { UnusedSetting } from '../../src/protocol/unused-setting.ts';
import type {
  ApprovalRow,
  CaptureRow,
  HookRecordRow,
  PairingRow,
  RunRow,
  SessionRow,
  TranscriptRow,
  WaitRow,
} from '../../src/store/tables.ts';

export type { Aside, RequestMeasure, TimelineStep };
/** A piece of a request with its author and its words. */
export type ToldSpan = RequestSpan & { readonly text?: string | undefined };
export type ContextReport = RequestFrame['report'] & { readonly request?: RequestMeasure | undefined };
export type TranscriptEntry = Pick<TranscriptRow, 'position' | 'runId' | 'at' | 'kind' | 'message' | 'shown' | 'meta'>;
export type ToldApproval = Omit<ApprovalRow, 'digest'>;
export type WaitingPairing = Pick<PairingRow, 'channel' | 'accountId' | 'senderId' | 'senderName' | 'code'>;
export type RunCall = Pick<CaptureRow, 'call' | 'at' | 'provider' | 'model' | 'size'>;
/** A session with what its key says about it. */
export type ListedSession = Omit<SessionRow, 'endToTell' | 'state'> & {
  readonly type: SessionType;
  /** The name under which every page shows it. */
  readonly pageSurface: string;
  /** The beginning of what was said first; absent where the gateway was not asked for it. */
  readonly firstWords?: string | null | undefined;
};

/** A model that can answer. */
export interface ListedModel {
  /** `provider/model`. */
  readonly name: string;
  readonly contextWindow: number | null;
  readonly takesImages: boolean;
}

/** Which model answers in a conversation. */
export interface ModelChoice {
  readonly model: string;
  /** The agent's own. */
  readonly own: string;
}

/** Where a branch begins. */
export interface BranchRequest {
  /** A run: the branch goes on behind it. */
  readonly through?: string | undefined;
  /** A run: the branch goes on as if it had not been. */
  readonly before?: string | undefined;
  /** The same name gives the same branch, so asking again is safe. */
  readonly name: string;
  readonly title?: string | null | undefined;
}

/** Words that were found in a conversation. */
export interface FoundWords {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly position: number;
  readonly at: number;
  readonly role: 'user' | 'assistant';
  readonly excerpt: string;
}

/** What a person may note about a conversation. */
export interface SessionMarks {
  /** Null takes the title away. */
  readonly title?: string | null | undefined;
  readonly isArchived?: boolean | undefined;
  readonly isSeen?: boolean | undefined;
}
export type CalledHook = Omit<HookRecordRow, 'runId' | 'sessionKey'>;

/** The subagents of a session, and its runs that wait for some of them. */
export interface SessionSubagents {
  readonly subagents: readonly ChildView[];
  readonly waits: readonly Pick<WaitRow, 'runId' | 'awaited'>[];
}

/** A run that waits in its lane has no row yet and is reported as `queued`. */
export type ToldRun = Omit<RunRow, 'status' | 'progressClaim' | 'observed'> & {
  readonly status: RunRow['status'] | 'queued';
};

export interface Agent {
  readonly agentId: string;
  /** What people call it. */
  readonly name?: string | undefined;
  readonly emoji?: string | undefined;
  readonly isDefault: boolean;
  readonly model?: string | undefined;
}

/** A page of a transcript, oldest first. */
export interface TranscriptPage {
  readonly sessionId: string;
  readonly entries: readonly TranscriptEntry[];
  /** Where the page before this one ends; null on the first one. */
  readonly before: number | null;
}

interface TranscriptAnswer {
  readonly sessionId: string;
  readonly entries: readonly TranscriptEntry[];
  readonly next: number | null;
}

/** A message that was accepted and is not in the transcript yet. */
export interface QueuedMessage {
  readonly runId: string;
  readonly at: number;
  /** Null while a gate has yet to decide about the words. */
  readonly text: string | null;
  readonly attachments: readonly AttachmentRef[];
}

/** Which asides are asked for: those behind a part, and those of a time. */
export interface AsideBounds {
  readonly after?: number | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface WholeRun {
  readonly run: ToldRun;
  readonly calls: readonly RunCall[];
  readonly steps: readonly TimelineStep[];
  /** One sentence for each node whose part of the steps is not there. */
  readonly missing: readonly string[];
  /** The runs of the same session, for comparison. */
  readonly siblings: readonly ToldRun[];
}

export interface RunCost {
  readonly cost: number | null;
  readonly unpriced: number;
}

/** What the gateway says about itself. */
export interface GatewayNews {
  readonly warnings: readonly string[];
  /** A gateway of an older version does not say it. */
  readonly changedSinceStart?: readonly WaitingSetting[] | undefined;
  readonly unused: readonly UnusedSetting[];
  readonly channels: readonly { readonly id: string }[];
}

/** How a request of a run compares with the one before it. */
export interface CacheCall {
  readonly call: number;
  readonly bytes: number;
  /** Null when there was no earlier request to share with. */
  readonly with: { readonly kind: 'call' | 'run' | 'agent'; readonly runId: string } | null;
  readonly sharedBytes: number;
  readonly break: {
    readonly where: string;
    readonly author: string;
    readonly line?: number | undefined;
    readonly isInput: boolean;
    readonly next?: string | undefined;
    readonly lostBytes: number;
  } | null;
  /** The first character that is not as in the earlier request: the index of its span, and its place in it. */
  readonly newFrom: { readonly span: number; readonly char: number } | null;
}

/** What an agent would read in a situation; what is left out is as it would be now. */
export interface LookQuery {
  readonly message?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  readonly channel?: string | undefined;
  readonly sessionType?: string | undefined;
  readonly at?: string | undefined;
  /** Texts in place of bootstrap files, by name. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** Settings that are merged over the configuration. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A bootstrap file with its text; both are null when it is not there yet. */
export interface BootstrapText {
  readonly agentId: string;
  readonly name: string;
  readonly path: string;
  readonly role: string;
  readonly text: string | null;
  readonly version: string | null;
}

export interface ListedFile {
  readonly name: string;
  readonly role: string;
  readonly chars: number | null;
  readonly problem: string | null;
}

export interface FileVersion {
  readonly id: number;
  readonly at: number;
  readonly author: string;
  readonly version: string | null;
  readonly chars: number;
  readonly isCurrent: boolean;
}

export interface Look {
  readonly agentId: string;
  readonly composition: { readonly report: ContextReport };
  readonly request: {
    readonly provider: string;
    readonly model: string;
    readonly wire: { readonly body: string };
    readonly spans: readonly ToldSpan[];
    readonly measure: RequestMeasure;
  } | null;
  readonly problem: string | null;
  readonly placeholders: readonly string[];
}

export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class GatewayClient {
  readonly #token: string;
  readonly #refused: () => void;

  /** `refused` is called when the gateway does not accept the token, also when it did before. */
  constructor(token: string, refused: () => void = () => {}) {
    this.#token = token;
    this.#refused = refused;
  }

  /** False when the gateway refuses the token; true also when it cannot be reached, because it may come back. */
  async isTokenGood(): Promise<boolean> {
    try {
      await this.agents();
      return true;
    } catch (error) {
      return !(error instanceof RefusedError) || (error.status !== 401 && error.status !== 429);
    }
  }

  async agents(): Promise<readonly Agent[]> {
    return (await this.#read<{ agents: readonly Agent[] }>('/api/agents')).agents;
  }

  /** The commands that can be typed now, including those of plugins. */
  async commands(): Promise<readonly ListedCommand[]> {
    return (await this.#read<{ commands: readonly ListedCommand[] }>('/api/commands')).commands;
  }

  /** A page of the sessions, those in which something was said last first. */
  async sessions(
    before?: string,
  ): Promise<{ readonly sessions: readonly ListedSession[]; readonly next: string | null }> {
    const from = before === undefined ? '' : `&before=${encodeURIComponent(before)}`;
    return this.#read(`/api/sessions?order=active&limit=500${from}`);
  }

  /** A new session with a copy of what was said in this one. */
  async branch(session: string, request: BranchRequest): Promise<ListedSession> {
    const answer = await this.#ask(`/api/sessions/${encodeURIComponent(session)}/branch`, request);
    return (JSON.parse(answer) as { session: ListedSession }).session;
  }

  /** Every model that can be used now and may be chosen for the agent. */
  async models(agentId: string): Promise<readonly ListedModel[]> {
    const query = new URLSearchParams({ usable: 'true', agentId });
    return (await this.#read<{ models: readonly ListedModel[] }>(`/api/models?${query}`)).models;
  }

  modelOf(session: string): Promise<ModelChoice> {
    return this.#read(`/api/sessions/${encodeURIComponent(session)}/model`);
  }

  /** Null goes back to the model of the agent. */
  async chooseModel(session: string, model: string | null): Promise<ModelChoice> {
    return JSON.parse(await this.#ask(`/api/sessions/${encodeURIComponent(session)}/model`, { model })) as ModelChoice;
  }

  /** Rejects with a status of 404 when there is no such session. */
  async session(
    keyOrId: string,
  ): Promise<{ readonly session: ListedSession; readonly earlier: readonly ListedSession[] }> {
    return this.#read(`/api/sessions/${encodeURIComponent(keyOrId)}`);
  }

  async markSession(session: string, marks: SessionMarks): Promise<void> {
    await this.#ask(`/api/sessions/${encodeURIComponent(session)}/marks`, marks);
  }

  /** Removes the conversation and all that was said in it. */
  async deleteSession(session: string): Promise<void> {
    await this.#ask(`/api/sessions/${encodeURIComponent(session)}`, undefined, 'DELETE');
  }

  /** What people and agents have said, in all conversations. */
  async search(text: string): Promise<readonly FoundWords[]> {
    const path = `/api/search?limit=50&text=${encodeURIComponent(text)}`;
    return (await this.#read<{ found: readonly FoundWords[] }>(path)).found;
  }

  /** A part of a session's transcript, the last one unless `before` is given. */
  async transcript(session: string, before?: number): Promise<TranscriptPage> {
    const query = `order=desc&limit=100${before === undefined ? '' : `&before=${before}`}`;
    const path = `/api/sessions/${encodeURIComponent(session)}/transcript?${query}`;
    const { sessionId, entries, next } = await this.#read<TranscriptAnswer>(path);
    return { sessionId, entries: entries.toReversed(), before: next };
  }

  /** What was added to a session's transcript behind a position. */
  async transcriptAfter(
    session: string,
    position: number,
  ): Promise<{ readonly sessionId: string; readonly entries: readonly TranscriptEntry[] }> {
    const path = `/api/sessions/${encodeURIComponent(session)}/transcript?limit=500`;
    const first = await this.#read<TranscriptAnswer>(`${path}&after=${position}`);
    const entries = [...first.entries];
    for (let next = first.next; next !== null; ) {
      const page = await this.#read<TranscriptAnswer>(`${path}&after=${next}`);
      entries.push(...page.entries);
      next = page.next;
    }
    return { sessionId: first.sessionId, entries };
  }

  /** What was said to a session and is not in its transcript yet. */
  async queue(sessionKey: string): Promise<readonly QueuedMessage[]> {
    const path = `/api/sessions/${encodeURIComponent(sessionKey)}/queue`;
    return (await this.#read<{ messages: readonly QueuedMessage[] }>(path)).messages;
  }

  /** What people saw in a conversation besides its transcript, oldest first. */
  async asides(session: string, bounds: AsideBounds): Promise<readonly Aside[]> {
    const asked = new URLSearchParams({ limit: '500' });
    for (const [name, value] of Object.entries(bounds)) if (value !== undefined) asked.set(name, String(value));
    const asides: Aside[] = [];
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const path = `/api/sessions/${encodeURIComponent(session)}/asides?${asked}`;
      const page = await this.#read<{ asides: readonly Aside[]; next: number | null }>(path);
      asides.push(...page.asides);
      if (page.next === null) break;
      asked.set('before', String(page.next));
    }
    return asides.toReversed();
  }

  /** The latest runs of a session. */
  async runsOf(sessionKey: string): Promise<readonly ToldRun[]> {
    const path = `/api/runs?limit=100&session=${encodeURIComponent(sessionKey)}`;
    return (await this.#read<{ runs: readonly ToldRun[] }>(path)).runs;
  }

  /** What each run of a session has cost, by its id. */
  async costsOf(sessionKey: string): Promise<ReadonlyMap<string, RunCost>> {
    const path = `/api/usage?by=run&session=${encodeURIComponent(sessionKey)}`;
    const { groups } = await this.#read<{ groups: readonly (RunCost & { key: string })[] }>(path);
    return new Map(groups.map(({ key, cost, unpriced }) => [key, { cost, unpriced }]));
  }

  /** The latest approvals of a session, oldest first: those that wait, and those that were answered. */
  async approvals(sessionKey: string): Promise<readonly ToldApproval[]> {
    const path = `/api/approvals?status=all&limit=100&session=${encodeURIComponent(sessionKey)}`;
    return (await this.#read<{ approvals: readonly ToldApproval[] }>(path)).approvals.toReversed();
  }

  /** How many tool calls wait for a person, in all sessions; at most 100 are counted. */
  async countWaitingApprovals(): Promise<number> {
    return (await this.#read<{ approvals: readonly unknown[] }>('/api/approvals?limit=100')).approvals.length;
  }

  async answerApproval(id: string, decision: ApprovalDecision): Promise<void> {
    await this.#ask(`/api/approvals/${encodeURIComponent(id)}`, { decision, from: 'web' });
  }

  /** The people on chat platforms who ask to talk to the agent, the latest first. */
  async waitingPairings(): Promise<readonly WaitingPairing[]> {
    const { pairings } = await this.#read<{ pairings: readonly (WaitingPairing & { status: string })[] }>(
      '/api/pairing',
    );
    return pairings.filter(({ status }) => status === 'waiting');
  }

  async approvePairing({ channel, code }: WaitingPairing): Promise<void> {
    await this.#ask('/api/pairing/approve', { channel, code, from: 'web' });
  }

  async refusePairing({ channel, accountId, senderId }: WaitingPairing): Promise<void> {
    await this.#ask('/api/pairing/revoke', { channel, accountId, senderId });
  }

  subagents(sessionKey: string): Promise<SessionSubagents> {
    return this.#read(`/api/subagents?limit=200&session=${encodeURIComponent(sessionKey)}`);
  }

  /** Resolves when the subagent and all that came from it have ended. */
  async stopSubagent(sessionKey: string): Promise<void> {
    await this.#ask(`/api/subagents/${encodeURIComponent(sessionKey)}/kill`, {});
  }

  run(runId: string): Promise<{ readonly run: ToldRun; readonly calls: readonly RunCall[] }> {
    return this.#read(`/api/runs/${encodeURIComponent(runId)}`);
  }

  status(): Promise<GatewayNews> {
    return this.#read('/api/status');
  }

  /** The handlers that were called in a run and did not answer as they should. */
  async failedHooks(runId: string): Promise<readonly CalledHook[]> {
    return (await this.#calledHooks(runId)).filter(({ outcome }) => outcome !== 'done');
  }

  async #calledHooks(runId: string): Promise<readonly CalledHook[]> {
    const path = `/api/runs/${encodeURIComponent(runId)}/hooks`;
    return (await this.#read<{ records: readonly CalledHook[] }>(path)).records;
  }

  /** A run with everything that happened in it, and the other runs of its session. */
  async wholeRun(runId: string): Promise<WholeRun> {
    const path = `/api/runs/${encodeURIComponent(runId)}`;
    const [told, timeline] = await Promise.all([
      this.#read<{ run: ToldRun; calls: readonly RunCall[] }>(path),
      this.#read<{ steps: readonly TimelineStep[]; missing: readonly string[] }>(`${path}/timeline`),
    ]);
    return { ...told, ...timeline, siblings: await this.runsOf(told.run.sessionKey) };
  }

  /** A page of the runs, the latest first. */
  latestRuns(
    session: string | undefined,
    before?: string,
  ): Promise<{ readonly runs: readonly ToldRun[]; readonly next: string | null }> {
    const only = session === undefined ? '' : `&session=${encodeURIComponent(session)}`;
    const from = before === undefined ? '' : `&before=${encodeURIComponent(before)}`;
    return this.#read(`/api/runs?limit=100${only}${from}`);
  }

  /** Undefined for a run for which nothing was composed. */
  async report(runId: string): Promise<ContextReport | undefined> {
    try {
      return await this.#read<ContextReport>(`/api/runs/${encodeURIComponent(runId)}/report`);
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Hands a file over; a message then names it. */
  async upload(file: File): Promise<Upload> {
    const data = await base64Of(file);
    return JSON.parse(await this.#ask('/api/attachments', { name: file.name || 'file', data })) as Upload;
  }

  /** The bytes of a file that a message of this session names. */
  async attachment(sessionKey: string, hash: string): Promise<Blob> {
    const path = `/api/sessions/${encodeURIComponent(sessionKey)}/attachments/${hash}`;
    const response = await fetch(path, { headers: { authorization: `Bearer ${this.#token}` } });
    if (response.status === 401) this.#refused();
    if (!response.ok) throw new RefusedError(response.status, 'The file is not there.');
    return response.blob();
  }

  /** The request exactly as it was sent to the model, byte for byte. */
  request(runId: string, call: number): Promise<string> {
    return this.#ask(`/api/runs/${encodeURIComponent(runId)}/requests/${call}`);
  }

  async spans(runId: string, call: number): Promise<readonly ToldSpan[]> {
    const path = `/api/runs/${encodeURIComponent(runId)}/spans/${call}`;
    return (await this.#read<{ spans: readonly ToldSpan[] }>(path)).spans;
  }

  async lastSpans(runId: string): Promise<readonly ToldSpan[]> {
    const path = `/api/runs/${encodeURIComponent(runId)}/spans/last`;
    return (await this.#read<{ spans: readonly ToldSpan[] }>(path)).spans;
  }

  /** The requests of a run, each compared with the one before it. */
  async cacheOf(runId: string): Promise<readonly CacheCall[]> {
    const path = `/api/cache?run=${encodeURIComponent(runId)}`;
    return (await this.#read<{ calls: readonly CacheCall[] | null }>(path)).calls ?? [];
  }

  async look(query: LookQuery): Promise<Look> {
    return JSON.parse(await this.#ask('/api/context/look', query)) as Look;
  }

  async bootstrapFiles(agentId: string): Promise<readonly ListedFile[]> {
    return (await this.#read<{ files: readonly ListedFile[] }>(`/api/agents/${encodeURIComponent(agentId)}/files`))
      .files;
  }

  async bootstrapFile(agentId: string, name: string): Promise<BootstrapText> {
    return (await this.#read<{ file: BootstrapText }>(addressOf(agentId, name))).file;
  }

  /** Rejects with a status of 409 when the file was changed since `version` was read. */
  async writeFile({ agentId, name, version }: BootstrapText, text: string): Promise<BootstrapText> {
    const answer = await this.#ask(addressOf(agentId, name), { text, version, from: 'web' });
    return (JSON.parse(answer) as { file: BootstrapText }).file;
  }

  async fileVersions(agentId: string, name: string): Promise<readonly FileVersion[]> {
    return (await this.#read<{ versions: readonly FileVersion[] }>(`${addressOf(agentId, name)}/versions`)).versions;
  }

  /** Null when there was no file. */
  async fileVersion(agentId: string, name: string, id: number): Promise<string | null> {
    return (await this.#read<{ text: string | null }>(`${addressOf(agentId, name)}/versions/${id}`)).text;
  }

  async restoreFile({ agentId, name, version }: BootstrapText, id: number): Promise<BootstrapText> {
    const answer = await this.#ask(`${addressOf(agentId, name)}/restore`, { id, version, from: 'web' });
    return (JSON.parse(answer) as { file: BootstrapText }).file;
  }

  openSocket(): WebSocket {
    const address = `${location.origin.replace(/^http/, 'ws')}/ws?channel=web`;
    return new WebSocket(address, ['atrium', `atrium.token.${base64url(this.#token)}`]);
  }

  /** The clients of single pages ask with this. Without a body it reads; with one it changes something. */
  async ask<Answer>(path: string, body?: object, method?: 'DELETE'): Promise<Answer> {
    return JSON.parse(await this.#ask(path, body, method)) as Answer;
  }

  async #read<Answer>(path: string): Promise<Answer> {
    return JSON.parse(await this.#ask(path)) as Answer;
  }

  /** A request with a body is a change and uses POST. */
  async #ask(path: string, body?: object, method?: 'DELETE'): Promise<string> {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${this.#token}` },
      cache: 'no-store',
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      ...(method && { method }),
    });
    const text = await response.text();
    if (response.ok) return text;
    if (response.status === 401) this.#refused();
    throw new RefusedError(response.status, messageIn(text) ?? `The gateway answered with status ${response.status}.`);
  }
}

function addressOf(agentId: string, name: string): string {
  return `/api/agents/${encodeURIComponent(agentId)}/files/${encodeURIComponent(name)}`;
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}

function base64url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** How many pages of asides are read at once. */
const MOST_PAGES = 20;
