// "Why is this not here?": a text or the name of a file, and what became of it.

import { useEffect, useState } from 'preact/hooks';
import type { ContextReport, GatewayClient } from '../client/gateway-client.ts';
import { type FileTexts, findAbsence } from './find-absence.ts';
import type { RequestView } from './request-view.ts';

export interface WhyNotProps {
  readonly client: GatewayClient;
  readonly agentId: string | undefined;
  readonly view: RequestView;
  readonly report: ContextReport | undefined;
  onPoint(index: number): void;
}

export function WhyNot({ client, agentId, view, report, onPoint }: WhyNotProps) {
  const [asked, ask] = useState('');
  const files = useFileTexts({ client, agentId, isWanted: asked.trim().length > 2 });
  const findings = findAbsence(asked, view, report, files);
  return (
    <section class="why-not" aria-label="Why is this not here?">
      <h3>
        <label for="why-not">Why is this not here?</label>
      </h3>
      <input
        id="why-not"
        type="search"
        placeholder="A file, or words of it"
        value={asked}
        onInput={({ currentTarget }) => ask(currentTarget.value)}
      />
      {asked.trim() !== '' && findings.length === 0 && (
        <p class="none">
          Nothing of it was read: no file, cut or rule of this request names it. Is it in a file of the workspace that
          is read, such as AGENTS.md?
        </p>
      )}
      <ul class="findings" aria-live="polite">
        {findings.map(({ kind, what, code, detail, piece }, index) => (
          <li key={index} data-kind={kind}>
            <span class="what">{what}</span>
            <code>{kind === 'here' ? `in ${code}` : code}</code>
            {detail !== '' && <span class="detail">{detail}</span>}
            {piece !== undefined && (
              <button type="button" class="ghost" onClick={() => onPoint(piece)}>
                Show
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const NONE: FileTexts = new Map();

/** The bootstrap files as they are now, read when somebody asks for words. */
function useFileTexts({
  client,
  agentId,
  isWanted,
}: Pick<WhyNotProps, 'client' | 'agentId'> & { readonly isWanted: boolean }): FileTexts {
  const [texts, setTexts] = useState(NONE);
  useEffect(() => {
    if (!isWanted || agentId === undefined) return;
    let isOld = false;
    const read = async () => {
      const there = (await client.bootstrapFiles(agentId)).filter(({ chars }) => chars !== null);
      const files = await Promise.all(there.map(({ name }) => client.bootstrapFile(agentId, name)));
      if (!isOld) setTexts(new Map(files.map(({ name, text }) => [name, text ?? ''])));
    };
    // Without the files, what the report says is found all the same.
    void read().catch(() => undefined);
    return () => {
      isOld = true;
    };
  }, [client, agentId, isWanted]);
  return texts;
}
