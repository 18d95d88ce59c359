// What a run tells, in the recorder's words: facts are the gateway's own, content is somebody's.

import type { RunRecorder } from '../agent/run-parts.ts';
import type { Recorder } from '../recorder/recorder.ts';

export function runRecorder(recorder: Recorder): RunRecorder {
  return {
    runStarted: (run) => recorder.runStarted(run),
    contextCompiled: ({ runId }, { report, prompt }) => {
      const { prompt: sizes, budget, files, handlers, cuts, absences, layers } = report;
      recorder.contextCompiled(
        runId,
        {
          prompt: sizes,
          budget,
          layers: layers.map(({ id, stability, chars }) => ({ id, stability, chars })),
          files: files.map(({ name, status, reason, injectedChars }) => ({ name, status, reason, injectedChars })),
          handlers: handlers.map(({ id, owner, outcome, ms }) => ({ id, owner, outcome, ms })),
          cuts: cuts.map(({ file, lines, chars, cause }) => ({ file, lines, chars, cause })),
          absences: absences.map(({ what, reason, by }) => ({ what, reason, by })),
        },
        { systemPrompt: prompt.text },
      );
    },
    gatePassed: ({ runId }) => recorder.gatePassed(runId),
    gateBlocked: ({ runId }, by) => recorder.gateBlocked(runId, by),
    promptSubmitted: ({ runId, provider = '', model = '', api = '' }, { call, wire, request }) => {
      recorder.modelChosen(runId, { provider, model, api });
      recorder.promptSubmitted(runId, { call, bytes: Buffer.byteLength(wire.body) });
      recorder.modelRequested(runId, wire.body, () => ({
        stage: 'request',
        system: request.system.map(({ text }) => text).join(''),
        messages: request.messages,
      }));
    },
    modelDelta: ({ runId }, kind, delta) => recorder.modelDelta(runId, kind, delta),
    modelCompleted: ({ runId }, call) => recorder.modelCompleted(runId, call),
    toolStarted: ({ runId }, call) => recorder.toolStarted(runId, call),
    toolEnded: ({ runId }, call) => recorder.toolEnded(runId, call),
    runEnded: ({ runId }, end) => recorder.runEnded(runId, end),
    sessionEnded: ({ reason, ...session }) => recorder.sessionEnded(session, reason),
  };
}
