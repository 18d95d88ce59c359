// Decides whether output may have colours, and whether a part of the screen may be drawn again. Both are answers about
// the terminal; code that writes text asks for a look by name and does not know the codes.

export type Look = 'bold' | 'italic' | 'underline' | 'struck' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

export interface TerminalStyle {
  readonly isColoured: boolean;
  /** Lines that are on the screen already may be drawn again: there is a terminal, and it understands cursor codes. */
  readonly isLive: boolean;
  /** The text in these looks; unchanged where there are no colours. */
  readonly paint: (text: string, ...looks: readonly Look[]) => string;
}

export interface StyleFacts {
  readonly isTerminal: boolean;
  /** NO_COLOR, FORCE_COLOR and TERM are read. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function terminalStyle({ isTerminal, variables }: StyleFacts): TerminalStyle {
  const isDumb = variables.TERM === 'dumb';
  const isColoured = wantsColours(variables) ?? (isTerminal && !isDumb);
  return {
    isColoured,
    isLive: isTerminal && !isDumb,
    paint: (text, ...looks) =>
      isColoured && text !== '' && looks.length > 0
        ? `\x1b[${looks.map((look) => CODES[look]).join(';')}m${text}\x1b[0m`
        : text,
  };
}

const CODES: Readonly<Record<Look, number>> = {
  bold: 1,
  dim: 2,
  italic: 3,
  underline: 4,
  struck: 9,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  cyan: 36,
};

/** What the person has set; undefined when nothing is. FORCE_COLOR is the more special wish, so it comes first. */
function wantsColours({ NO_COLOR, FORCE_COLOR }: StyleFacts['variables']): boolean | undefined {
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return NO_COLOR !== undefined && NO_COLOR !== '' ? false : undefined;
}
