// Reads the body of a form with files, as clients of the Bot API send it. Names of files may stand there without quotes,
// which stricter readers refuse.

export interface FormPart {
  readonly name: string;
  /** Set for a file. */
  readonly fileName?: string | undefined;
  readonly bytes: Uint8Array;
}

export function readMultipart(body: Uint8Array, contentType: string): readonly FormPart[] {
  const [, boundary = ''] = /boundary="?([^";]+)"?/.exec(contentType) ?? [];
  const bytes = Buffer.from(body);
  const mark = Buffer.from(`--${boundary}`);
  const parts: FormPart[] = [];
  for (let start = bytes.indexOf(mark); start !== -1; ) {
    const end = bytes.indexOf(mark, start + mark.length);
    if (end === -1) break;
    const part = readPart(bytes.subarray(start + mark.length + 2, end - 2));
    if (part) parts.push(part);
    start = end;
  }
  return parts;
}

function readPart(bytes: Buffer): FormPart | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, split).toString('utf8');
  const [, name] = /[;\s]name="([^"]*)"/.exec(head) ?? [];
  const [, quoted, bare] = /filename=(?:"([^"]*)"|([^\r\n;]*))/.exec(head) ?? [];
  if (split === -1 || name === undefined) return undefined;
  return { name, fileName: quoted ?? bare, bytes: bytes.subarray(split + 4) };
}
