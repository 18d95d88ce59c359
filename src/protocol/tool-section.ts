// The rules about tools at one place of the configuration, as they are written. The policy interprets them.

export interface ToolSection {
  /** The setting in which an operator finds these rules: `tools`, `agents.list[coder].tools`. */
  readonly place: string;
  readonly profile?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly alsoAllow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}
