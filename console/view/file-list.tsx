// The files of a message in the talk. A picture is shown, every other file is named; a press saves it.

import { useEffect, useState } from 'preact/hooks';
import { formatSize, isPicture, type SentFile } from '../talk/sent-file.ts';

export type LoadFile = (hash: string) => Promise<string | undefined>;

export function FileList({ files, load }: { files: readonly SentFile[]; load: LoadFile }) {
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file.hash} class={isPicture(file) ? 'picture' : 'file'}>
          {isPicture(file) ? <Picture file={file} load={load} /> : <NamedFile file={file} load={load} />}
        </li>
      ))}
    </ul>
  );
}

function Picture({ file: { hash, name }, load }: { file: SentFile; load: LoadFile }) {
  const [address, setAddress] = useState<string | undefined | null>(undefined);
  useEffect(() => {
    let isGone = false;
    void load(hash).then((found) => isGone || setAddress(found ?? null));
    return () => {
      isGone = true;
    };
  }, [hash]);
  if (address === null) return <span class="name">{`${name} is no longer kept`}</span>;
  return address === undefined ? <span class="name">{name}</span> : <img src={address} alt={name} title={name} />;
}

function NamedFile({ file: { hash, name, size }, load }: { file: SentFile; load: LoadFile }) {
  return (
    <button type="button" class="plain" onClick={() => void load(hash).then((address) => save(address, name))}>
      <span class="name">{name}</span>
      <span class="state">{formatSize(size)}</span>
    </button>
  );
}

function save(address: string | undefined, name: string): void {
  if (address === undefined) return;
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
