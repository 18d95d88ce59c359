// What one place of a configuration says about tools, as it is written. The policy gives it a meaning.

export interface ToolSection {
  /** The setting that holds it, as an operator would look for it: `tools`, `agents.list[coder].tools`. */
  readonly place: string;
  readonly profile?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly alsoAllow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}
