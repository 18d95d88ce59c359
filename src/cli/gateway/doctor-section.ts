// One thing that `atrium doctor` looked at. `problems` make the command exit with 1; `remarks` do not.

export interface Section {
  readonly name: string;
  readonly finding: string;
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}
