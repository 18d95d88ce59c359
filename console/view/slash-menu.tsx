// The commands that fit what was typed after a slash, each with its help. The composer decides which one is pointed at.

import { useEffect, useRef } from 'preact/hooks';
import type { ListedCommand } from '../../src/commands/list-commands.ts';

export interface SlashMenuProps {
  readonly commands: readonly ListedCommand[];
  readonly pointedAt: number;
  onPoint(index: number): void;
  onPick(command: ListedCommand): void;
}

export function SlashMenu({ commands, pointedAt, onPoint, onPick }: SlashMenuProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[pointedAt]?.scrollIntoView({ block: 'nearest' });
  }, [pointedAt]);
  if (commands.length === 0) return null;
  return (
    <div ref={list} id="slash-menu" class="slash-menu" role="listbox" aria-label="Commands">
      {commands.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus.
        <div
          key={command.name}
          id={`slash-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === pointedAt}
          onMouseEnter={() => onPoint(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(command)}
        >
          <span class="command">
            <code>{`/${command.name}`}</code>
            {command.arguments !== null && <span class="arguments">{command.arguments}</span>}
          </span>
          <span class="help">{command.help}</span>
          {command.plugin !== null && <span class="tag">{command.plugin}</span>}
        </div>
      ))}
    </div>
  );
}

/** Commands whose name or alias begins with what was typed; none when something else was typed. */
export function matchCommands(commands: readonly ListedCommand[], text: string): readonly ListedCommand[] {
  const [, typed] = /^\/([\w-]*)$/.exec(text) ?? [];
  if (typed === undefined) return [];
  const word = typed.toLowerCase();
  return commands.filter(({ name, aliases }) => [name, ...aliases].some((each) => each.startsWith(word)));
}
