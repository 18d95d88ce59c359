// A trial as a command. Exits with what the trial answers: 0 when all is well, 1 when not; and 2 when it could not be
// found out.

export async function runTrial(trial: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await trial();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 2;
  }
}

export function numberOf(text: string, flag: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(text)) throw new Error(`${flag} must be a number below a million, not ${text}.`);
  return Number(text);
}

export function wholeNumberOf(text: string, flag: string): number {
  const number = numberOf(text, flag);
  if (!Number.isInteger(number)) throw new Error(`${flag} must be a whole number, not ${text}.`);
  return number;
}

export function seedOf(text: string | undefined): number {
  return wholeNumberOf(text ?? String(Date.now() % 1_000_000), '--seed');
}
