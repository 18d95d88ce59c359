// A bootstrap file, edited beside what the model reads: the request follows every letter, and nothing is saved before the
// person says so. A change that came from elsewhere meanwhile is not overwritten. Every version can be looked at and put
// back.

import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type BootstrapText,
  type FileVersion,
  type GatewayClient,
  type ListedFile,
  RefusedError,
} from '../client/gateway-client.ts';
import { sentenceOf } from '../console-state.ts';
import { formatClock, formatCount, formatPlural } from '../view/format.ts';

export interface FileEditorProps {
  readonly client: GatewayClient;
  readonly agentId: string;
  readonly name: string;
  /** Rises when bootstrap files were changed, here or elsewhere. */
  readonly changes: number;
  onPick(name: string | undefined): void;
  /** The text as it would be; undefined when it is as it is saved. */
  onEdit(text: string | undefined): void;
  onSaved(): void;
}

export default function FileEditor({ client, agentId, name, changes, onPick, onEdit, onSaved }: FileEditorProps) {
  const [file, setFile] = useState<BootstrapText | undefined>(undefined);
  const [text, setText] = useState<string | undefined>(undefined);
  /** The same as `text`, for answers that arrive while the person goes on typing. */
  const typed = useRef<string | undefined>(undefined);
  const [names, setNames] = useState<readonly ListedFile[]>([]);
  const [versions, setVersions] = useState<readonly FileVersion[]>([]);
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState('');
  /** The file as it is now, when somebody else has changed it since it was read. */
  const [theirs, setTheirs] = useState<BootstrapText | undefined>(undefined);
  const saved = file?.text ?? '';
  const isEdited = text !== undefined && text !== saved;

  const edit = (next: string | undefined, of = file) => {
    setText(next);
    typed.current = next;
    setNote('');
    onEdit(next === undefined || next === (of?.text ?? '') ? undefined : next);
  };
  const take = (read: BootstrapText) => {
    setFile(read);
    setTheirs(undefined);
    setProblem('');
    edit(undefined, read);
  };
  const readVersions = () => client.fileVersions(agentId, name).then(setVersions, () => setVersions([]));
  useEffect(() => {
    setFile(undefined);
    setVersions([]);
    client.bootstrapFiles(agentId).then(setNames, () => setNames([]));
    void readVersions();
    client.bootstrapFile(agentId, name).then(take, (error: unknown) => setProblem(sentenceOf(error)));
    return () => onEdit(undefined);
  }, [client, agentId, name]);
  useEffect(() => {
    if (!file) return;
    void client.bootstrapFile(agentId, name).then(
      (read) => {
        if (read.version === file.version) return;
        if (typed.current === undefined || typed.current === saved) take(read);
        else setTheirs(read);
        void readVersions();
      },
      () => undefined,
    );
  }, [changes]);

  /** `before` is what had been typed when the person asked for it; what was typed since then is kept. */
  const finish = (read: BootstrapText, said: string, before: string | undefined) => {
    const later = typed.current;
    take(read);
    if (later === before) setNote(said);
    else edit(later, read);
    void readVersions();
    onSaved();
  };
  const save = async (base: BootstrapText) => {
    try {
      finish(await client.writeFile(base, text ?? ''), 'Saved. The next run reads it.', text);
    } catch (error) {
      if (error instanceof RefusedError && error.status === 409) setTheirs(await client.bootstrapFile(agentId, name));
      else setProblem(sentenceOf(error));
    }
  };
  const restore = async (id: number) => {
    if (!file) return;
    try {
      finish(await client.restoreFile(file, id), 'Put back. The next run reads it.', text);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  /** What an undo goes back to: the latest version that is not the text of now. */
  const before = versions.find(({ isCurrent }) => !isCurrent);
  return (
    <section class="file-editor" aria-label="Edit a file">
      <header>
        <label>
          <span class="hidden">File</span>
          <select value={name} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
            {(names.length === 0 ? [{ name, chars: null }] : names).map((each) => (
              <option key={each.name} value={each.name}>
                {each.chars === null && names.length > 0 ? `${each.name} (new)` : each.name}
              </option>
            ))}
          </select>
        </label>
        <p class="soft">{file?.role}</p>
        <span class="grow" />
        <button type="button" class="ghost" onClick={() => onPick(undefined)}>
          Close
        </button>
      </header>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {theirs && (
        <div class="conflict" role="alert">
          <p>{`${name} was changed elsewhere in the meantime. Your text was not written.`}</p>
          <div class="choices">
            <button type="button" class="quiet small" onClick={() => take(theirs)}>
              Take the other text
            </button>
            <button type="button" class="quiet small" onClick={() => void save(theirs)}>
              Write mine over it
            </button>
          </div>
        </div>
      )}
      {file && (
        <textarea
          aria-label={`Text of ${name}`}
          spellcheck={false}
          value={text ?? saved}
          placeholder="This file is not there yet. What you write here would be read."
          onInput={({ currentTarget }) => edit(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (isEdited) void save(file);
          }}
        />
      )}
      <footer>
        <button
          type="button"
          class="small"
          disabled={!isEdited || !file || theirs !== undefined}
          onClick={() => file && void save(file)}
        >
          Save
        </button>
        <button type="button" class="quiet small" disabled={!isEdited} onClick={() => edit(undefined)}>
          Discard
        </button>
        <button
          type="button"
          class="quiet small"
          disabled={isEdited || !before}
          onClick={() => before && void restore(before.id)}
        >
          Undo the last edit
        </button>
        <span class="soft" role="status">
          {isEdited
            ? 'Not saved. The request follows what you write.'
            : note || `${formatCount(saved.length)} characters`}
        </span>
      </footer>
      {versions.length > 0 && (
        <details class="versions">
          <summary>{`History (${formatPlural(versions.length, 'version')})`}</summary>
          <ul>
            {versions.map(({ id, at, author, chars, version, isCurrent }) => (
              <li key={id}>
                <span>{formatClock(at)}</span>
                <span class="soft">{author === 'disk' ? 'found on the disk' : `by ${author}`}</span>
                <span class="soft">{version === null ? 'no file' : formatPlural(chars, 'character')}</span>
                <span class="grow" />
                {isCurrent ? (
                  <span class="soft">as it is now</span>
                ) : (
                  <>
                    <button
                      type="button"
                      class="ghost"
                      onClick={() => void client.fileVersion(agentId, name, id).then((old) => edit(old ?? ''))}
                    >
                      Try it
                    </button>
                    <button type="button" class="ghost" onClick={() => void restore(id)}>
                      Put it back
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
