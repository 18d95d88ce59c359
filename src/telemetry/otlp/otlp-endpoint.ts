// One address of a collector. It sends a body, says what became of it, and tells the operator when that begins to fail and
// when it works again.
// Errors: none. Result: `sent`; `later` when the collector cannot take it now; `refused` when it never will.
// Rules: a request takes a bounded time, and the words of the collector are shown without secrets and in one line.

import type { Say } from '../../protocol/log.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { shownUrl } from '../../protocol/shown-url.ts';
import { redactText } from '../../recorder/redact.ts';

export interface OtlpEndpointSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `Traces` or `Metrics`, for sentences. */
  readonly what: string;
  readonly warn: Say;
}

export type SendOutcome = 'sent' | 'later' | 'refused';

const TIMEOUT_MS = 10_000;
/** The statuses with which a collector asks to try again. */
const LATER = new Set([429, 502, 503, 504]);
const MAX_ANSWER = 2_000;

export class OtlpEndpoint {
  readonly #settings: OtlpEndpointSettings;
  #trouble: string | undefined;

  constructor(settings: OtlpEndpointSettings) {
    this.#settings = settings;
  }

  async send(body: object, signal?: AbortSignal): Promise<SendOutcome> {
    const { url, headers } = this.#settings;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
      });
      const text = await readStart(response);
      if (response.ok) {
        const lost = rejectionIn(text);
        if (lost === undefined) this.#works();
        else this.#fails(`the collector does not take all of it: ${lost}`);
        return 'sent';
      }
      const isLater = LATER.has(response.status);
      this.#fails(`the collector answers with status ${response.status}${text === '' ? '' : ` (${clean(text)})`}`);
      return isLater ? 'later' : 'refused';
    } catch (error) {
      this.#fails(reasonOf(error));
      return 'later';
    }
  }

  #works(): void {
    const { what, url, warn } = this.#settings;
    if (this.#trouble !== undefined) warn(`${what} can be sent to ${shownUrl(url)} again.`);
    this.#trouble = undefined;
  }

  #fails(reason: string): void {
    const { what, url, warn } = this.#settings;
    const isNews = this.#trouble === undefined;
    this.#trouble = reason;
    if (isNews) warn(`${what} cannot be sent to ${shownUrl(url)}: ${reason}. Runs go on; it is tried again.`);
  }
}

/** The body of an answer is of no use beyond its beginning. */
async function readStart(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_ANSWER) break;
  }
  return text.slice(0, MAX_ANSWER);
}

/** A collector may take a request and leave out a part of it. */
function rejectionIn(text: string): string | undefined {
  try {
    const { partialSuccess = {} } = JSON.parse(text);
    const count = Number(partialSuccess.rejectedSpans ?? partialSuccess.rejectedDataPoints ?? 0);
    return count > 0 ? `${count} left out (${clean(String(partialSuccess.errorMessage ?? ''))})` : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it does not answer in time';
  const { cause } = error as Error;
  return clean((cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error)?.message ?? error);
}

function clean(text: unknown): string {
  return redactText(oneLine(text, 200));
}
