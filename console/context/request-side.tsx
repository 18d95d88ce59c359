// What is known about a request, beside its document: the piece that is pointed at, sizes, tokens by author, the cache,
// what was cut and what is not in it.

import type { GatewayClient } from '../client/gateway-client.ts';
import { formatCount, formatPlural } from '../view/format.ts';
import { lazyPage } from '../view/lazy-page.tsx';
import { CacheNote } from './cache-note.tsx';
import type { LoadedRequest } from './load-request.ts';
import { PieceCard } from './piece-card.tsx';
import type { RequestView } from './request-view.ts';
import { WhyNot } from './why-not.tsx';

/** The layout of the areas is loaded when there is something to lay out. */
const TokenMap = lazyPage(() => import('./token-map.tsx'));

export interface RequestSideProps {
  readonly client: GatewayClient;
  readonly loaded: LoadedRequest;
  readonly view: RequestView;
  readonly pointedAt: number | undefined;
  readonly only: string | undefined;
  showOnly(name: string | undefined): void;
  show(piece: number): void;
  showNew(): void;
  onEdit(file: string): void;
}

export function RequestSide(props: RequestSideProps) {
  const { client, loaded, view, pointedAt, only, showOnly, show, showNew, onEdit } = props;
  const { report, measure, cache, placeholders, agentId } = loaded;
  const files = new Set((report?.files ?? []).map(({ name }) => name));
  const editable = (name: string) => files.has(name.split('/').at(-1) ?? '');
  return (
    <aside class="context-side" aria-label="About the request">
      <PieceCard
        piece={pointedAt === undefined ? undefined : view.pieces[pointedAt]}
        isEditable={editable}
        onEdit={onEdit}
      />
      <Sizes view={view} loaded={loaded} />
      {measure && (
        <section aria-label="Tokens by author">
          <h3>Tokens by author</h3>
          <TokenMap measure={measure} only={only} onPick={showOnly} />
        </section>
      )}
      {cache && (
        <>
          <h3>Cache</h3>
          <CacheNote cache={cache} place={view.newAt} onShow={view.newAt && showNew} />
        </>
      )}
      <WhyNot client={client} agentId={agentId} view={view} report={report} onPoint={show} />
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
                  <span class="choices">
                    {piece !== undefined && (
                      <button type="button" class="ghost" onClick={() => show(piece)}>
                        Show
                      </button>
                    )}
                    {editable(file) && (
                      <button type="button" class="ghost" onClick={() => onEdit(file)}>
                        Edit
                      </button>
                    )}
                  </span>
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
  );
}

/** The bytes add up exactly; tokens are an estimate, with the provider's number and what remains beside it. */
function Sizes({ view, loaded: { measure } }: { view: RequestView; loaded: LoadedRequest }) {
  const counted = measure?.counted;
  const rows: readonly (readonly [string, string, string?])[] = [
    ['Words of authors', `${formatCount(view.authorBytes)} bytes`],
    ['Form of the provider', `${formatCount(view.bytes - view.authorBytes)} bytes`],
    ['The request', `${formatCount(view.bytes)} bytes`, 'total'],
  ];
  const tokens: readonly (readonly [string, string, string?])[] = measure
    ? [
        ['Tokens, estimated', formatCount(measure.estimated)],
        ...(counted
          ? ([
              ['As the provider counted', formatCount(counted.tokens), 'total'],
              ['Remainder', signed(counted.tokens - measure.estimated)],
            ] as const)
          : []),
        ...(counted && !counted.isCredible
          ? ([['', 'The provider’s number is too far off and is not used.']] as const)
          : []),
        ...(measure.room
          ? ([
              [
                'Room in the model’s window',
                `${formatCount(measure.room.free)} of ${formatCount(measure.room.window)}`,
              ],
            ] as const)
          : []),
      ]
    : [];
  return (
    <section aria-label="Sizes">
      <h3>Sizes</h3>
      <dl class="sizes">
        {[...rows, ...tokens].map(([name, value, kind]) => (
          <div key={name} class={kind}>
            <dt>{name}</dt>
            <dd id={name === 'The request' ? 'request-bytes' : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function signed(number: number): string {
  return number > 0 ? `+${formatCount(number)}` : number < 0 ? `−${formatCount(-number)}` : '0';
}
