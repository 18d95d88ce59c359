// Completes the refusal of a gateway that does not know an id with the id that was probably meant. It is asked for after
// a command has failed, so it costs nothing otherwise. Never rejects: without a likely id the error stays as it was.

import { isAtriumError } from '../protocol/errors.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { GatewayRefusedError } from './errors.ts';
import type { GatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/text.ts';

/** `given` is every word and value of the command line. The meant one is found by the sentence, which quotes it. */
export async function suggestId(
  error: unknown,
  given: readonly string[],
  client: Pick<GatewayClient, 'get'>,
): Promise<unknown> {
  if (!(error instanceof GatewayRefusedError) || !Object.hasOwn(LISTS, error.refusal)) return error;
  const list = LISTS[error.refusal];
  const wanted = given.find((each) => error.sentence.includes(JSON.stringify(each)));
  if (!list || wanted === undefined) return error;
  try {
    const [place, ...fields] = list;
    const found = namesIn(await client.get(place), fields);
    const meant = nearMatch(wanted, found) ?? onlyOneWith(wanted, found);
    if (meant === undefined) return error;
    const { httpStatus, refusal, sentence } = error;
    return new GatewayRefusedError({ httpStatus, refusal, sentence: `${sentence} Did you mean "${oneLine(meant)}"?` });
  } catch (cause) {
    if (isAtriumError(cause)) return error;
    throw cause;
  }
}

/** For each code of a refusal, where the gateway lists what there is, and under which fields the ids stand. */
const LISTS: Readonly<Record<string, readonly [place: string, ...fields: string[]]>> = {
  ATRIUM_SESSION_UNKNOWN: ['/api/sessions?limit=500', 'sessionKey', 'sessionId'],
  ATRIUM_RUN_UNKNOWN: ['/api/runs?limit=500', 'runId'],
  ATRIUM_SESSION_CHILD_UNKNOWN: ['/api/subagents?limit=500', 'sessionKey', 'taskName', 'label'],
  ATRIUM_JOB_UNKNOWN: ['/api/cron/jobs', 'id'],
  ATRIUM_APPROVAL_UNKNOWN: ['/api/approvals?status=waiting&limit=500', 'id'],
  ATRIUM_APPROVAL_RULE_UNKNOWN: ['/api/approvals/rules', 'id'],
  ATRIUM_DEADLETTER_UNKNOWN: ['/api/deadletters?limit=500', 'id'],
};

/** The texts under these fields, in the rows of a list and in the rows below them. */
function namesIn(answer: unknown, fields: readonly string[]): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, each] of Object.entries(value)) {
      if (typeof each === 'string' && fields.includes(name)) names.add(each);
      else collect(each);
    }
  };
  collect(answer);
  return [...names];
}

const SHORTEST_PIECE = 4;

/** People copy a part of a long id. It is understood when it is the part of one id only. */
function onlyOneWith(piece: string, names: readonly string[]): string | undefined {
  if (piece.length < SHORTEST_PIECE) return undefined;
  const found = names.filter((name) => name.toLowerCase().includes(piece.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}
