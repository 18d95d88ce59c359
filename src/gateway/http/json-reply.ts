// An answer of JSON with a status and headers, as plain data. The code that serves the route turns it into bytes, so that
// a handler need not know how it was asked.

export interface JsonReplyOptions {
  /** The default is 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export class JsonReply {
  readonly body: object;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: object, { status = 200, headers = {} }: JsonReplyOptions = {}) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json(this.body, { status: this.status, headers: this.headers });
  }
}
