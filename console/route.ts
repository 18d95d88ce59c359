// The addresses of the page as data, and back. Addresses are stable: people keep them and send them to each other. The
// gateway serves the document at each of them (src/gateway/page/is-page-path.ts).

export type Route =
  /** What was open last, or the default agent. */
  | { readonly page: 'home' }
  | { readonly page: 'new'; readonly agentId?: string | undefined }
  /** `session` is a key, or the id of a conversation that has ended. */
  | {
      readonly page: 'session';
      readonly session: string;
      /** The position of an entry of its transcript, to begin there. */
      readonly at?: number | undefined;
      /** The words of that entry that a person looks for. */
      readonly find?: string | undefined;
    }
  /** The request of a run, or of the next one when there is no run. */
  | {
      readonly page: 'context';
      readonly session?: string | undefined;
      readonly runId?: string | undefined;
      readonly call?: number | undefined;
      /** The bootstrap file that is being edited, for a request of now. */
      readonly file?: string | undefined;
    }
  | { readonly page: 'runs'; readonly session?: string | undefined }
  | { readonly page: 'run'; readonly runId: string; readonly beside?: string | undefined }
  | { readonly page: 'hooks' }
  /** Without a part it is how the gateway is now. `setting` is the one that the settings begin with. */
  | {
      readonly page: 'operations';
      readonly part?: OperationsPart | undefined;
      readonly setting?: string | undefined;
    }
  | { readonly page: 'unknown' };

export type OperationsPart = 'schedule' | 'settings';

export function parseRoute(path: string, search = ''): Route {
  const parts = path.split('/').filter(Boolean).map(decode);
  const query = new URLSearchParams(search);
  const [first, second, third, fourth, fifth] = parts;
  if (first === undefined) return { page: 'home' };
  if (first === 'new' && parts.length === 1) return { page: 'new', agentId: query.get('agent') ?? undefined };
  if (first === 'hooks' && parts.length === 1) return { page: 'hooks' };
  if (first === 'operations' && parts.length === 1) return { page: 'operations' };
  const file = query.get('file') ?? undefined;
  if (first === 'context' && parts.length === 1) return { page: 'context', file };
  if (first === 'operations' && second === 'schedule' && parts.length === 2)
    return { page: 'operations', part: second };
  if (first === 'operations' && second === 'settings' && parts.length === 2)
    return { page: 'operations', part: second, setting: query.get('setting') ?? undefined };
  if (first === 'runs' && parts.length === 1) return { page: 'runs', session: query.get('session') ?? undefined };
  if (first === 'runs' && second !== undefined && parts.length === 2)
    return { page: 'run', runId: second, beside: query.get('beside') ?? undefined };
  if (first === 'sessions' && second !== undefined) {
    if (parts.length === 2) {
      const at = Number(query.get('at'));
      const find = query.get('find') ?? undefined;
      return { page: 'session', session: second, ...(at > 0 && { at, find }) };
    }
    // The address of a context that was cut short.
    if (third === 'runs' && parts.length === 3) return { page: 'runs', session: second };
    if (third === 'runs' && fourth !== undefined && parts.length === 4) return { page: 'run', runId: fourth };
    if (third === 'context' && parts.length === 3) return { page: 'context', session: second, file };
    if (third === 'runs' && fourth !== undefined && fifth === 'context' && parts.length === 5) {
      const call = Number(query.get('call'));
      return { page: 'context', session: second, runId: fourth, call: call > 0 ? call : undefined };
    }
  }
  return { page: 'unknown' };
}

export function formatRoute(route: Route): string {
  switch (route.page) {
    case 'home':
      return '/';
    case 'new':
      return `/new${queryOf({ agent: route.agentId })}`;
    case 'session':
      return `/sessions/${encode(route.session)}${queryOf({ at: route.at?.toString(), find: route.find })}`;
    case 'context': {
      const query = queryOf({ call: route.call?.toString(), file: route.file });
      if (route.session === undefined) return `/context${query}`;
      const run = route.runId === undefined ? '' : `/runs/${encode(route.runId)}`;
      return `/sessions/${encode(route.session)}${run}/context${query}`;
    }
    case 'runs':
      return `/runs${queryOf({ session: route.session })}`;
    case 'run':
      return `/runs/${encode(route.runId)}${queryOf({ beside: route.beside })}`;
    case 'hooks':
      return '/hooks';
    case 'operations': {
      const part = route.part === undefined ? '' : `/${route.part}`;
      return `/operations${part}${queryOf({ setting: route.setting })}`;
    }
    case 'unknown':
      return '/';
  }
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Colons are allowed in a path, and keys are easier to read with them. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
