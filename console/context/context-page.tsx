// The page of a request: the document with its authors, and beside it what is known about it. It shows the request of a
// run as it was sent, or the next one as it would be sent, live, with its situation and its files changed at will.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import type { Route } from '../route.ts';
import { navigate } from '../router.ts';
import { CopyButton } from '../view/copy-button.tsx';
import { EmptyState } from '../view/empty-state.tsx';
import { lazyPage } from '../view/lazy-page.tsx';
import { Link } from '../view/link.tsx';
import { type AuthorKind, KIND_LABELS } from './author.ts';
import { type LoadedRequest, loadNextRequest, loadSentRequest } from './load-request.ts';
import { RequestDocument } from './request-document.tsx';
import { RequestSide } from './request-side.tsx';
import { showElement, showPiece } from './request-text.tsx';
import { type RequestView, viewRequest } from './request-view.ts';
import { SentBody } from './sent-body.tsx';
import { isChanged, NO_CHANGE, type Situation, WhatIf } from './what-if.tsx';

export interface ContextPageProps {
  readonly state: ConsoleState;
  readonly route: ContextRoute;
}

type ContextRoute = Extract<Route, { page: 'context' }>;

const RequestDiff = lazyPage(() => import('./request-diff.tsx'));
const FileEditor = lazyPage(() => import('./file-editor.tsx'));

/** A bootstrap file that is being edited and not saved. */
interface Edited {
  readonly name: string;
  readonly text: string;
}

interface Shown {
  readonly request: LoadedRequest;
  /** What it would be without the changes; undefined when there are none. */
  readonly before: LoadedRequest | undefined;
}

export default function ContextPage({ state, route }: ContextPageProps) {
  const client = state.entered.value?.client;
  const { session, runId, call } = route;
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [situation, setSituation] = useState<Situation>(NO_CHANGE);
  const [edited, setEdited] = useState<Edited | undefined>(undefined);
  const changes = useChanges(state, runId === undefined);
  useEffect(() => {
    if (!client) return;
    let isOld = false;
    const load = async (): Promise<Shown> => {
      if (runId !== undefined) return { request: await loadSentRequest(client, runId, call), before: undefined };
      const texts = edited && { [edited.name]: edited.text };
      const asIs = { ...NO_CHANGE, message: situation.message };
      const [request, before] = await Promise.all([
        loadNextRequest(client, session, situation, texts),
        isChanged({ ...situation, message: '' }) || edited
          ? loadNextRequest(client, session, asIs, undefined).catch(() => undefined)
          : undefined,
      ]);
      return { request, before };
    };
    const read = () =>
      load().then(
        (loaded) => {
          if (isOld) return;
          setShown(loaded);
          setProblem(loaded.request.problem ?? '');
        },
        (error: unknown) => isOld || setProblem(sentenceOf(error)),
      );
    // While a person types, not every letter is asked about.
    const timer = setTimeout(() => void read(), runId === undefined && shown ? 250 : 0);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [client, session, runId, call, changes, edited?.name, edited?.text, JSON.stringify(situation)]);
  const request = shown?.request;
  const view = useMemo(() => request && viewRequest(request), [request]);
  const openFile = (file: string | undefined) => navigate({ page: 'context', session, file });
  const agentId = situation.agentId || request?.agentId;
  return (
    <div class="context-page">
      <header class="page-head">
        <div>
          <h2>{runId === undefined ? 'What the agent would read now' : 'What the model was sent'}</h2>
          <p>{request?.title ?? 'Loading…'}</p>
        </div>
        <span class="grow" />
        {request && request.calls.length > 1 && session !== undefined && (
          <label>
            <span class="hidden">Which request</span>
            <select
              value={String(request.call)}
              onChange={({ currentTarget }) =>
                navigate({ page: 'context', session, runId, call: Number(currentTarget.value) })
              }
            >
              {request.calls.map(({ call: number }) => (
                <option key={number} value={String(number)}>{`Request ${number}`}</option>
              ))}
            </select>
          </label>
        )}
        {runId === undefined && route.file === undefined && (
          <button type="button" class="quiet" onClick={() => openFile('AGENTS.md')}>
            Edit files
          </button>
        )}
        {session !== undefined && runId !== undefined && (
          <>
            <Link class="button quiet" to={{ page: 'context', session }}>
              And now?
            </Link>
            <Link class="button quiet" to={{ page: 'run', runId }}>
              Run
            </Link>
          </>
        )}
        {session !== undefined && (
          <Link class="button quiet" to={{ page: 'session', session }}>
            Conversation
          </Link>
        )}
      </header>
      {runId === undefined && (
        <WhatIf
          situation={situation}
          agents={state.agents.value}
          channels={state.news.value.channels.map(({ id }) => id)}
          onChange={setSituation}
        />
      )}
      {client && runId === undefined && route.file !== undefined && agentId !== undefined && (
        <FileEditor
          client={client}
          agentId={agentId}
          name={route.file}
          changes={changes}
          onPick={openFile}
          onEdit={(text) => setEdited(text === undefined ? undefined : { name: route.file ?? '', text })}
          onSaved={() => setEdited(undefined)}
        />
      )}
      {problem !== '' && (
        <p class="page-problem problem" role="alert">
          {problem}
        </p>
      )}
      {client &&
        request &&
        view &&
        (view.units.length > 0 ? (
          <Request client={client} loaded={request} before={shown.before} view={view} onEdit={openFile} />
        ) : (
          <Nothing />
        ))}
    </div>
  );
}

/** Counts what may have changed the next request, so that it is shown as it is now. */
function useChanges(state: ConsoleState, isLive: boolean): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    if (!isLive) return;
    return state.watch.onChange(['runs', 'files', 'config', 'plugins', 'sessions'], async () =>
      setChanges((count) => count + 1),
    );
  }, [isLive]);
  return changes;
}

function Nothing() {
  return (
    <EmptyState
      title="There is no request to show"
      text="Choose a model with “atrium models set”, or change the situation above."
    />
  );
}

interface RequestProps {
  readonly client: Parameters<typeof RequestSide>[0]['client'];
  readonly loaded: LoadedRequest;
  readonly before: LoadedRequest | undefined;
  readonly view: RequestView;
  onEdit(file: string): void;
}

type Form = 'document' | 'body' | 'difference';

const FORM_LABELS: Readonly<Record<Form, string>> = {
  document: 'As it is read',
  body: 'As it is sent',
  difference: 'Difference',
};

function Request({ client, loaded, before, view, onEdit }: RequestProps) {
  const [pointedAt, pointAt] = useState<number | undefined>(undefined);
  const [only, showOnly] = useState<string | undefined>(undefined);
  const [chosen, choose] = useState<Form>('document');
  const form = chosen === 'difference' && !before ? 'document' : chosen;
  const forms: readonly Form[] = before ? ['document', 'body', 'difference'] : ['document', 'body'];
  const inDocument = (then: () => void) => {
    choose('document');
    requestAnimationFrame(then);
  };
  const show = (piece: number) => {
    pointAt(piece);
    inDocument(() => showPiece(piece));
  };
  const pointing = { view, pointedAt, only, onPoint: pointAt };
  return (
    <div class="context-columns">
      <section class="context-main" aria-label="The request">
        <div class="context-tools">
          <fieldset class="tabs">
            <legend class="hidden">Form</legend>
            {forms.map((each) => (
              <button key={each} type="button" class="ghost" aria-pressed={form === each} onClick={() => choose(each)}>
                {FORM_LABELS[each]}
              </button>
            ))}
          </fieldset>
          <Legend view={view} />
          <span class="grow" />
          <CopyButton text={loaded.body} label="Copy the request" />
        </div>
        {/* A long document takes a moment to make, so it stays while another form is shown. */}
        <RequestDocument {...pointing} isHidden={form !== 'document'} />
        {form === 'body' && <SentBody {...pointing} />}
        {form === 'difference' && before && <RequestDiff before={before.spans} after={loaded.spans} />}
      </section>
      <RequestSide
        {...{ client, loaded, view, pointedAt, only, showOnly, show, onEdit }}
        showNew={() => inDocument(() => showElement(document.getElementById('new-mark')))}
      />
    </div>
  );
}

function Legend({ view }: { view: RequestView }) {
  const kinds = [...new Set(view.pieces.map(({ author }) => author.kind))];
  return (
    <ul class="legend" aria-label="Colours">
      {kinds.map((kind: AuthorKind) => (
        <li key={kind}>
          <i class={`swatch ${kind}`} />
          {KIND_LABELS[kind]}
        </li>
      ))}
    </ul>
  );
}
