// The page's HTTP requests to the gateway. The token travels in a header and as a subprotocol, never in an address.
// Errors: an answer that is not a success is a `RefusedError` with its status; when the gateway cannot be reached, the
// error of `fetch` is thrown.

import type { RequestMeasure } from '../../src/agent/measure-request.ts';
import type { RequestFrame } from '../../src/agent/request-frame.ts';
import type { ListedCommand } from '../../src/commands/list-commands.ts';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { ApprovalRow, CaptureRow, RunRow, SessionRow, TranscriptRow } from '../../src/store/tables.ts';

export type { RequestMeasure };
/** `request` is absent when the request is not kept any more. */
export type ContextReport = RequestFrame['report'] & { readonly request?: RequestMeasure | undefined };
export type TranscriptEntry = Pick<TranscriptRow, 'runId' | 'at' | 'kind' | 'message' | 'shown'>;
export type WaitingApproval = Omit<ApprovalRow, 'digest'>;
export type OpenSession = Pick<SessionRow, 'sessionKey' | 'agentId' | 'surface'>;
export type RunCall = Pick<CaptureRow, 'call'>;

/** A run that waits in its lane has no row yet and is reported as `queued`. */
export type ToldRun = Omit<RunRow, 'status' | 'progressClaim' | 'observed'> & {
  readonly status: RunRow['status'] | 'queued';
};

export interface Agent {
  readonly agentId: string;
  readonly isDefault: boolean;
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

  constructor(token: string) {
    this.#token = token;
  }

  async agents(): Promise<readonly Agent[]> {
    return (await this.#read<{ agents: readonly Agent[] }>('/api/agents')).agents;
  }

  /** The commands that can be typed now, including those of plugins. */
  async commands(): Promise<readonly ListedCommand[]> {
    return (await this.#read<{ commands: readonly ListedCommand[] }>('/api/commands')).commands;
  }

  async openSessions(): Promise<readonly OpenSession[]> {
    return (await this.#read<{ sessions: readonly OpenSession[] }>('/api/sessions?open=true&limit=50')).sessions;
  }

  /** The latest part of a session's transcript, oldest first. */
  async transcript(sessionKey: string): Promise<readonly TranscriptEntry[]> {
    const path = `/api/sessions/${encodeURIComponent(sessionKey)}/transcript?order=desc&limit=100`;
    return (await this.#read<{ entries: readonly TranscriptEntry[] }>(path)).entries.toReversed();
  }

  /** The approvals of a session that wait, oldest first. */
  async waitingApprovals(sessionKey: string): Promise<readonly WaitingApproval[]> {
    const path = `/api/approvals?status=waiting&limit=100&session=${encodeURIComponent(sessionKey)}`;
    return (await this.#read<{ approvals: readonly WaitingApproval[] }>(path)).approvals.toReversed();
  }

  async answerApproval(id: string, decision: ApprovalDecision): Promise<void> {
    await this.#ask(`/api/approvals/${encodeURIComponent(id)}`, { decision, from: 'web' });
  }

  run(runId: string): Promise<{ readonly run: ToldRun; readonly calls: readonly RunCall[] }> {
    return this.#read(`/api/runs/${encodeURIComponent(runId)}`);
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

  /** The request exactly as it was sent to the model, byte for byte. */
  request(runId: string, call: number): Promise<string> {
    return this.#ask(`/api/runs/${encodeURIComponent(runId)}/requests/${call}`);
  }

  openSocket(): WebSocket {
    const address = `${location.origin.replace(/^http/, 'ws')}/ws?channel=web`;
    return new WebSocket(address, ['atrium', `atrium.token.${base64url(this.#token)}`]);
  }

  async #read<Answer>(path: string): Promise<Answer> {
    return JSON.parse(await this.#ask(path)) as Answer;
  }

  /** A request with a body is a change and uses POST. */
  async #ask(path: string, body?: object): Promise<string> {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${this.#token}` },
      cache: 'no-store',
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text;
    throw new RefusedError(response.status, messageIn(text) ?? `The gateway answered with status ${response.status}.`);
  }
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
