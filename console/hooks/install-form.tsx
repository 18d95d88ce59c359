// Installs a plugin, a hook pack or a skill. What was fetched is shown with its scan first; only then a person may say yes.
// Everything shown is the package's own words.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { DoneInstall, InstallReview, OperatorClient } from '../client/operator-client.ts';
import { formatClock, formatPlural } from '../view/format.ts';
import { useAction } from '../view/use-action.ts';

export interface InstallFormProps {
  readonly client: OperatorClient;
  onInstalled(): void;
}

export function InstallForm({ client, onInstalled }: InstallFormProps) {
  const { act, busy, problem } = useAction();
  const [source, setSource] = useState('');
  const [kind, setKind] = useState<'plugin' | 'skill'>('plugin');
  const [review, setReview] = useState<InstallReview | undefined>(undefined);
  const [done, setDone] = useState<DoneInstall | undefined>(undefined);
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.focus(), [review?.id]);
  const look = () =>
    act('look', async () => {
      setDone(undefined);
      setReview(await client.beginInstall(source.trim(), kind, false));
    });
  const install = (id: string) =>
    act('install', async () => {
      setDone(await client.confirmInstall(id));
      setReview(undefined);
      setSource('');
      onInstalled();
    });
  // One package waits at a time, so the next can be looked at only when this one is gone.
  const drop = async (id: string) => {
    await act('drop', () => client.dropInstall(id).catch(() => undefined));
    setReview(undefined);
  };
  return (
    <div class="install">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          if (source.trim() !== '' && busy === '') void look();
        }}
      >
        <label for="install-source">Install</label>
        <input
          id="install-source"
          type="text"
          class="grow"
          value={source}
          placeholder="a package of npm, or the path of a folder or archive"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setSource(event.currentTarget.value)}
        />
        <select
          aria-label="What it is"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value === 'skill' ? 'skill' : 'plugin')}
        >
          <option value="plugin">plugin or hook pack</option>
          <option value="skill">skill</option>
        </select>
        <button type="submit" class="quiet" disabled={source.trim() === '' || busy !== ''}>
          {busy === 'look' ? 'Looking…' : 'Look at it first'}
        </button>
      </form>
      <div role="status">
        {problem !== '' && <p class="problem">{problem}</p>}
        {done && (
          <p class="good">
            {`Installed ${done.id}${done.version === null ? '' : ` ${done.version}`} in ${done.dir}. ${done.plugin ? `It is ${done.plugin.state}. ${done.plugin.state === 'loaded' ? '' : done.plugin.reason}` : 'It is taken up with the next run.'}`}
          </p>
        )}
      </div>
      {review && (
        <section ref={shown} tabIndex={-1} class="review" aria-label="Before it is installed">
          <header>
            <b>{review.name}</b>
            {review.version !== null && <span class="soft">{review.version}</span>}
            <span class="tag">{review.kind}</span>
          </header>
          {review.description !== null && <p>{review.description}</p>}
          <dl class="facts">
            <Line name="Package" value={review.packageName} />
            <Line name="From" value={review.from} />
            <Line name="To" value={review.to} />
            <Line name="Replaces" value={review.replaces} />
            <Line
              name="Needs"
              value={review.needs.length === 0 ? null : `${review.needs.join(', ')} (not looked through)`}
            />
          </dl>
          <h3>{`What the scan found in ${formatPlural(review.scannedFiles, 'file')}`}</h3>
          {review.findings.length === 0 && (
            <p class="soft">Nothing of what the scan knows is mentioned. That does not mean that it is safe.</p>
          )}
          <ul class="scan">
            {review.findings.map(({ kind: found, meaning, severity, places, more }) => (
              <li key={found} data-severity={severity}>
                <details>
                  <summary>
                    <span class="severity">{severity}</span>
                    <b>{`It ${meaning}`}</b>
                    <span class="soft">{formatPlural(places.length + more, 'place')}</span>
                  </summary>
                  <ul>
                    {places.map(({ file, line, message }) => (
                      <li key={`${file} ${line} ${message}`}>
                        <code>{`${file}:${line}`}</code> {message}
                      </li>
                    ))}
                    {more > 0 && <li class="soft">{`and ${more} more`}</li>}
                  </ul>
                </details>
              </li>
            ))}
            {review.pluginFindings.map(({ ruleId, severity, message, file, line }) => (
              <li key={`${ruleId} ${file} ${line}`} data-severity={severity}>
                <p>
                  <span class="severity">{severity}</span> {message} <code>{`${file}:${line}`}</code>
                </p>
              </li>
            ))}
          </ul>
          {review.refusal ? (
            <p class="problem">{`${review.refusal.by} refuses it: ${review.refusal.reason}`}</p>
          ) : (
            <p class="soft">{`It waits for you until ${formatClock(review.expiresAt)}. Nothing of it has run.`}</p>
          )}
          <div class="choices">
            {!review.refusal && (
              <button type="button" disabled={busy !== ''} onClick={() => void install(review.id)}>
                {busy === 'install' ? 'Installing…' : 'Install it'}
              </button>
            )}
            <button type="button" class="quiet" disabled={busy !== ''} onClick={() => void drop(review.id)}>
              Leave it
            </button>
          </div>
        </section>
      )}
    </div>
  );
}

function Line({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
