// Whether a message of a group speaks to the agent by one of the names that the operator wrote down: patterns of
// `messages.groupChat.mentionPatterns`, or of the agent's own `groupChat`, else its identity. They are tried in time that
// grows with the text only, in any case of letters. A pattern that cannot be read matches nothing, and is told once.

import { mentionPatternsOf } from '../../config/agent-identity.ts';
import type { Config } from '../../config/schema.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { Say } from '../../protocol/log.ts';

interface MentionParts {
  readonly config: Config;
  /** The agent that would answer there. */
  readonly agentOf: (inbound: Inbound) => string;
  readonly warn: Say;
}

type Test = (text: string) => boolean;

export class MentionPatterns {
  readonly #parts: MentionParts;
  readonly #tests = new Map<string, Promise<Test>>();

  constructor(parts: MentionParts) {
    this.#parts = parts;
  }

  async match(inbound: Inbound): Promise<boolean> {
    const { config, agentOf } = this.#parts;
    for (const pattern of mentionPatternsOf(config, agentOf(inbound))) {
      const test = this.#tests.get(pattern) ?? this.#compile(pattern);
      this.#tests.set(pattern, test);
      if ((await test)(inbound.text)) return true;
    }
    return false;
  }

  async #compile(pattern: string): Promise<Test> {
    const { RE2JS } = await import('re2js');
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
      return (text) => compiled.test(text);
    } catch (error) {
      this.#parts.warn(
        `The pattern ${JSON.stringify(pattern)} of mentionPatterns cannot be read, so nothing speaks to the agent by it: ${(error as Error).message}.`,
      );
      return () => false;
    }
  }
}
