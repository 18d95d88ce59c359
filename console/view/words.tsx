// What an agent said. `isPart` marks what was delivered; until then it is a draft.

import { Markdown } from '../markdown/markdown.tsx';

export function Words({ text, isPart = false }: { text: string; isPart?: boolean }) {
  return (
    <div class={isPart ? 'words part' : 'words'}>
      <Markdown text={text} />
    </div>
  );
}
