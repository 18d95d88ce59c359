// One HTTP request to a gateway. Node's `fetch` would do the same; loading it takes as long as a whole command.
// Errors: rejects with what Node says, such as ECONNREFUSED, and with the reason of the signal when that is aborted.

import { request as overHttp } from 'node:http';

export interface GatewayRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export async function sendRequest(
  url: string,
  { method, headers = {}, body, signal }: GatewayRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : overHttp;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    // The connection is closed with the answer, so that nothing keeps the command from ending.
    const options = { method, signal, agent: false, headers: { ...headers, ...length } } as const;
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
