// The id under which a client knows a call of one of its own tools. It names the run and the place of the call in it,
// because clients hand results in without a session, and because the ids of models may repeat.

const FORM = /^call_([0-9a-z]{9}[0-9a-f]{15})_(\d{1,6})_(\d{1,4})$/;

/** For example `call_0mh3k9q2x4f8c1d07a5be123_2_0` for the place `2.0`. */
export function formatClientCallId(runId: string, place: string): string {
  return `call_${runId.replace(/^run_/, '')}_${place.replace('.', '_')}`;
}

/** Undefined for an id that no gateway made. */
export function parseClientCallId(id: string): { readonly runId: string; readonly place: string } | undefined {
  const [, run, request, index] = FORM.exec(id) ?? [];
  return run === undefined ? undefined : { runId: `run_${run}`, place: `${request}.${index}` };
}
