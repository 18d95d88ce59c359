// The page of a request: the document with its authors, and beside it what is known about it. It shows the request of a
// run as it was sent, or the next one as it would be sent, with its situation changed at will.

import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ConsoleState, sentenceOf } from '../console-state.ts';
import type { Route } from '../route.ts';
import { navigate } from '../router.ts';
import { CopyButton } from '../view/copy-button.tsx';
import { EmptyState } from '../view/empty-state.tsx';
import { formatCount, formatPlural } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { type AuthorKind, KIND_LABELS } from './author.ts';
import { CacheNote } from './cache-note.tsx';
import { type LoadedRequest, loadNextRequest, loadSentRequest } from './load-request.ts';
import { PieceCard } from './piece-card.tsx';
import { RequestDocument } from './request-document.tsx';
import { type RequestView, viewRequest } from './request-view.ts';
import type { TokenMapProps } from './token-map.tsx';
import { NO_CHANGE, type Situation, WhatIf } from './what-if.tsx';
import { WhyNot } from './why-not.tsx';

export interface ContextPageProps {
  readonly state: ConsoleState;
  readonly route: Extract<Route, { page: 'context' }>;
}

export default function ContextPage({ state, route }: ContextPageProps) {
  const client = state.entered.value?.client;
  const { session, runId, call } = route;
  const [loaded, setLoaded] = useState<LoadedRequest | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [situation, setSituation] = useState<Situation>(NO_CHANGE);
  useEffect(() => {
    if (!client) return;
    let isOld = false;
    const load = () =>
      (runId === undefined ? loadNextRequest(client, session, situation) : loadSentRequest(client, runId, call)).then(
        (request) => {
          if (isOld) return;
          setLoaded(request);
          setProblem(request.problem ?? '');
        },
        (error: unknown) => isOld || setProblem(sentenceOf(error)),
      );
    // While a person types, not every letter is asked about.
    const timer = setTimeout(() => void load(), runId === undefined ? 250 : 0);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [client, session, runId, call, JSON.stringify(situation)]);
  const view = useMemo(() => loaded && viewRequest(loaded), [loaded]);
  return (
    <div class="context-page">
      <header class="page-head">
        <div>
          <h2>{runId === undefined ? 'What the agent would read now' : 'What the model was sent'}</h2>
          <p>{loaded?.title ?? 'Loading…'}</p>
        </div>
        <span class="grow" />
        {loaded && loaded.calls.length > 1 && session !== undefined && (
          <label>
            <span class="hidden">Which request</span>
            <select
              value={String(loaded.call)}
              onChange={({ currentTarget }) =>
                navigate({ page: 'context', session, runId, call: Number(currentTarget.value) })
              }
            >
              {loaded.calls.map(({ call: number }) => (
                <option key={number} value={String(number)}>{`Request ${number}`}</option>
              ))}
            </select>
          </label>
        )}
        {session !== undefined && runId !== undefined && (
          <Link class="button quiet" to={{ page: 'context', session }}>
            And now?
          </Link>
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
      {problem !== '' && (
        <p class="page-problem problem" role="alert">
          {problem}
        </p>
      )}
      {loaded && view && (view.units.length > 0 ? <Shown loaded={loaded} view={view} /> : <Nothing />)}
    </div>
  );
}

function Nothing() {
  return (
    <EmptyState
      title="There is no request to show"
      text="Choose a model with “atrium models set”, or change the situation above."
    />
  );
}

function Shown({ loaded, view }: { loaded: LoadedRequest; view: RequestView }) {
  const [pointedAt, pointAt] = useState<number | undefined>(undefined);
  const [only, showOnly] = useState<string | undefined>(undefined);
  const [form, setForm] = useState<'document' | 'body'>('document');
  const { report, measure, cache, placeholders } = loaded;
  const show = (index: number) => {
    pointAt(index);
    setForm('document');
    requestAnimationFrame(() => {
      const piece = document.getElementById(`piece-${index}`);
      piece?.scrollIntoView({ block: 'center' });
      piece?.focus({ preventScroll: true });
    });
  };
  return (
    <div class="context-columns">
      <section class="context-main" aria-label="The request">
        <div class="context-tools">
          <fieldset class="tabs">
            <legend class="hidden">Form</legend>
            {(['document', 'body'] as const).map((each) => (
              <button key={each} type="button" class="ghost" aria-pressed={form === each} onClick={() => setForm(each)}>
                {each === 'document' ? 'As it is read' : 'As it is sent'}
              </button>
            ))}
          </fieldset>
          <Legend view={view} />
          <span class="grow" />
          <CopyButton text={loaded.body} label="Copy the request" />
        </div>
        {form === 'document' ? (
          <RequestDocument view={view} pointedAt={pointedAt} only={only} onPoint={pointAt} />
        ) : (
          <SentBody view={view} onPoint={pointAt} />
        )}
      </section>
      <aside class="context-side" aria-label="About the request">
        <PieceCard piece={pointedAt === undefined ? undefined : view.pieces[pointedAt]} />
        <Sizes view={view} loaded={loaded} />
        {measure && <LazyTokenMap measure={measure} only={only} onPick={showOnly} />}
        {cache && (
          <>
            <h3>Cache</h3>
            <CacheNote
              cache={cache}
              onShow={view.brokenAt === undefined ? undefined : () => show(view.brokenAt ?? 0)}
            />
          </>
        )}
        <WhyNot view={view} report={report} onPoint={show} />
        {report && report.cuts.length > 0 && (
          <section aria-label="Cuts">
            <h3>{`Cut (${report.cuts.length})`}</h3>
            <ul class="findings">
              {report.cuts.map(({ file, lines, chars, cause }) => {
                const piece = view.pieces.find(({ author }) => author.name.endsWith(file))?.index;
                return (
                  <li key={`${file} ${lines.join()}`} data-kind="cut">
                    <span class="what">{file}</span>
                    <code>{cause}</code>
                    <span class="detail">{`lines ${lines.join('–')}, ${formatPlural(chars, 'character')}`}</span>
                    {piece !== undefined && (
                      <button type="button" class="ghost" onClick={() => show(piece)}>
                        Show
                      </button>
                    )}
                  </li>
                );
              })}
            </ul>
          </section>
        )}
        {report && report.absences.length > 0 && (
          <section aria-label="Absent">
            <h3>{`Not in it (${report.absences.length})`}</h3>
            <ul class="findings">
              {report.absences.map(({ what, reason, detail }) => (
                <li key={`${what} ${reason} ${detail}`} data-kind="absent">
                  <span class="what">{what}</span>
                  <code>{reason}</code>
                  <span class="detail">{detail}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {placeholders.length > 0 && (
          <section aria-label="Placeholders">
            <h3>A run would also have</h3>
            <ul class="findings">
              {placeholders.map((text) => (
                <li key={text} data-kind="absent">
                  <span class="detail">{text}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </aside>
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

/** The bytes add up exactly; tokens are an estimate, with the provider's number beside it. */
function Sizes({ view, loaded: { measure } }: { view: RequestView; loaded: LoadedRequest }) {
  const rest = view.bytes - view.authorBytes;
  return (
    <section aria-label="Sizes">
      <h3>Sizes</h3>
      <dl class="sizes">
        <div>
          <dt>Words of authors</dt>
          <dd>{`${formatCount(view.authorBytes)} bytes`}</dd>
        </div>
        <div>
          <dt>Form of the provider</dt>
          <dd>{`${formatCount(rest)} bytes`}</dd>
        </div>
        <div class="total">
          <dt>The request</dt>
          <dd id="request-bytes">{`${formatCount(view.bytes)} bytes`}</dd>
        </div>
        {measure && (
          <div>
            <dt>{measure.counted?.isCredible ? 'Tokens, as the provider counted' : 'Tokens, estimated'}</dt>
            <dd>{formatCount(measure.tokens)}</dd>
          </div>
        )}
        {measure?.room && (
          <div>
            <dt>Room in the model’s window</dt>
            <dd>{`${formatCount(measure.room.free)} of ${formatCount(measure.room.window)}`}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** The body byte for byte. What no author wrote is the form of the provider and has no colour. */
function SentBody({ view, onPoint }: { view: RequestView; onPoint(index: number): void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text.
    <pre id="sent-body" class="sent-body" tabIndex={0} role="group" aria-label="The request as it is sent">
      {view.laid.parts.map(({ text, span }, index) => {
        const kind = span === undefined ? 'form' : `piece ${view.pieces[span]?.author.kind ?? 'other'}`;
        const isBroken = span !== undefined && span === view.brokenAt;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: it is read; the document has the same pieces for the keyboard.
          <span
            key={index}
            class={isBroken ? `${kind} broken` : kind}
            onMouseMove={span === undefined ? undefined : () => onPoint(span)}
          >
            {text}
          </span>
        );
      })}
    </pre>
  );
}

/** The layout of the areas is loaded when there is something to lay out. */
function LazyTokenMap(props: TokenMapProps) {
  const [loaded, setLoaded] = useState<{ readonly Component: ComponentType<TokenMapProps> } | undefined>(undefined);
  useEffect(() => {
    void import('./token-map.tsx').then(({ default: Component }) => setLoaded({ Component }));
  }, []);
  return (
    <section aria-label="Tokens by author">
      <h3>Tokens by author</h3>
      {loaded ? <loaded.Component {...props} /> : <div class="token-map" />}
    </section>
  );
}
