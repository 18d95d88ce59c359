// Every route that a program may call, in the order of the document. A test compares this list with the routes that are
// really there.

import type { z } from 'zod';
import * as schemas from './schemas.ts';

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With `{name}` for what varies. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  readonly answer: z.ZodType;
  /** Default 200. */
  readonly status?: number | undefined;
  /** False for what needs no token. */
  readonly isPrivate?: boolean | undefined;
}

export const OPERATIONS: readonly Operation[] = [
  op('get', '/healthz', 'Says that the process is alive.', { answer: schemas.healthAnswer, isPrivate: false }),
  op('get', '/readyz', 'Says whether messages are accepted; 503 when not.', {
    answer: schemas.healthAnswer,
    isPrivate: false,
  }),
  op('post', '/v1/chat/completions', "OpenAI's chat completions; the model is an agent.", {
    body: schemas.chatCompletionBody,
    answer: schemas.chatCompletionAnswer,
  }),
  op('get', '/v1/models', 'The agents, as models.', { answer: schemas.modelsAnswer }),
  op('get', '/v1/models/{model}', 'One agent, as a model.', { answer: schemas.modelAnswer }),
  op('get', '/api/status', 'What is running.', { answer: schemas.statusAnswer }),
  op('get', '/api/agents', 'The agents.', { answer: schemas.agentsAnswer }),
  op('post', '/api/messages', 'Sends a message to an agent; the answer is the run that it became.', {
    body: schemas.sendMessageBody,
    answer: schemas.acceptedAnswer,
    status: 202,
  }),
  op('get', '/api/sessions', 'Sessions, the latest first.', {
    query: schemas.sessionsQuery,
    answer: schemas.sessionsAnswer,
  }),
  op('get', '/api/sessions/{session}', 'One session, by key or id.', { answer: schemas.sessionAnswer }),
  op('delete', '/api/sessions/{session}', 'Ends a session and removes its transcript.', {
    answer: schemas.deletedAnswer,
  }),
  op('get', '/api/sessions/{session}/transcript', 'What was said.', {
    query: schemas.transcriptQuery,
    answer: schemas.transcriptAnswer,
  }),
  op('post', '/api/sessions/{session}/reset', 'Ends a session; the next message begins a new one.', {
    body: schemas.emptyBody,
    answer: schemas.endedAnswer,
  }),
  op('get', '/api/runs', 'Runs, the latest first.', { query: schemas.runsQuery, answer: schemas.runsAnswer }),
  op('get', '/api/runs/{run}', 'One run: outcome, model calls, deliveries.', { answer: schemas.runAnswer }),
  op('get', '/api/runs/{run}/wait', 'The same when the run is over, or when the time is.', {
    query: schemas.waitQuery,
    answer: schemas.waitAnswer,
  }),
  op('post', '/api/runs/{run}/stop', 'Stops a run.', { body: schemas.emptyBody, answer: schemas.stoppedAnswer }),
  op('get', '/api/runs/{run}/report', 'What was composed for a run, and why.', { answer: schemas.reportAnswer }),
  op(
    'get',
    '/api/runs/{run}/requests/{call}',
    'A request to the model, byte for byte; "last", its number, or "summary-1".',
    {
      answer: schemas.requestAnswer,
    },
  ),
  op('get', '/api/runs/{run}/spans/{call}', 'Who wrote each piece of a request; "last" or its number.', {
    answer: schemas.spansAnswer,
  }),
  op('get', '/api/runs/{run}/hooks', 'Every hook handler that was called.', { answer: schemas.hooksAnswer }),
  op('get', '/api/approvals', 'Tool calls that wait for a person, or all of them; the latest first.', {
    query: schemas.approvalsQuery,
    answer: schemas.approvalsAnswer,
  }),
  op('post', '/api/approvals/{id}', 'Answers a tool call that waits, and lets its run go on.', {
    body: schemas.answerApprovalBody,
    answer: schemas.approvalAnswer,
  }),
  op('get', '/api/approvals/rules', 'The commands that may run without asking.', { answer: schemas.allowRulesAnswer }),
  op('delete', '/api/approvals/rules/{id}', 'Revokes such a rule.', { answer: schemas.revokedAnswer }),
  op('post', '/api/context/preview', 'The next request for a message, as it would be sent.', {
    body: schemas.previewBody,
    answer: schemas.previewAnswer,
  }),
  op('post', '/api/route/explain', 'Where a message would go, and why.', {
    body: schemas.explainRouteBody,
    answer: schemas.routeAnswer,
  }),
  op('get', '/api/tools/explain', 'For each tool: offered or not, and which rule decides.', {
    query: schemas.explainToolsQuery,
    answer: schemas.toolsAnswer,
  }),
  op('post', '/api/installs/check', 'Asks the plugins whether something may be installed.', {
    body: schemas.checkInstallBody,
    answer: schemas.checkInstallAnswer,
  }),
  op('get', '/api/commands', 'What can be typed into a chat now.', { answer: schemas.commandsAnswer }),
  op('get', '/api/mcp', 'The servers of tools: state, number of tools, last error.', { answer: schemas.mcpAnswer }),
  op('get', '/api/plugins', 'The plugins, loaded or not, and why.', { answer: schemas.pluginsAnswer }),
  op('post', '/api/plugins/reload', 'Reads the configuration again and loads every plugin again.', {
    body: schemas.emptyBody,
    answer: schemas.pluginsAnswer,
  }),
  op('get', '/api/plugins/{id}', 'One plugin: state, reason, and what it registered.', {
    answer: schemas.pluginAnswer,
  }),
  op('post', '/api/plugins/{id}/reload', 'Reads the configuration again and loads one plugin again.', {
    body: schemas.emptyBody,
    answer: schemas.pluginAnswer,
  }),
  op('get', '/api/hooks', 'Every hook handler: called or not and why, and how its calls went.', {
    answer: schemas.hooksStatusAnswer,
  }),
  op('post', '/api/hooks/rearm', 'Lets suspended handlers be called again, by hook, id or owner.', {
    body: schemas.rearmBody,
    answer: schemas.rearmedAnswer,
  }),
  op('get', '/api/methods', 'The methods that may be called by name, and whose they are.', {
    answer: schemas.methodsAnswer,
  }),
  op('post', '/api/methods/{method}', "Calls a method, the gateway's own or a plugin's.", {
    body: schemas.callMethodBody,
    answer: schemas.methodAnswer,
  }),
  op('get', '/api/usage', 'What model calls have cost, summed up.', {
    query: schemas.usageQuery,
    answer: schemas.usageAnswer,
  }),
  op('get', '/api/deadletters', 'What was given up, the latest first.', {
    query: schemas.deadLettersQuery,
    answer: schemas.deadLettersAnswer,
  }),
  op('delete', '/api/deadletters', 'Removes every dead letter.', {
    query: schemas.purgeQuery,
    answer: schemas.purgedAnswer,
  }),
  op('get', '/api/deadletters/{id}', 'One dead letter.', { answer: schemas.deadLetterAnswer }),
  op('delete', '/api/deadletters/{id}', 'Removes one dead letter.', { answer: schemas.purgedAnswer }),
  op('post', '/api/deadletters/{id}/replay', 'Sends a dead letter again.', {
    body: schemas.emptyBody,
    answer: schemas.replayedAnswer,
  }),
  op('get', '/api/cron/jobs', 'The jobs, those that are due next first.', {
    query: schemas.jobsQuery,
    answer: schemas.jobsAnswer,
  }),
  op('post', '/api/cron/jobs', 'Adds a job.', { body: schemas.addJobBody, answer: schemas.jobAnswer, status: 201 }),
  op('get', '/api/cron/jobs/{id}', 'One job.', { answer: schemas.jobAnswer }),
  op('post', '/api/cron/jobs/{id}', 'Changes a job; what is not named stays as it is.', {
    body: schemas.editJobBody,
    answer: schemas.jobAnswer,
  }),
  op('delete', '/api/cron/jobs/{id}', 'Removes a job.', { answer: schemas.jobAnswer }),
  op('post', '/api/cron/jobs/{id}/run', 'Runs a job now, besides its times.', {
    body: schemas.emptyBody,
    answer: schemas.jobStartedAnswer,
    status: 202,
  }),
  op('get', '/api/cron/jobs/{id}/history', 'What became of the times of a job, the latest first.', {
    query: schemas.jobHistoryQuery,
    answer: schemas.jobHistoryAnswer,
  }),
];

function op(
  method: Operation['method'],
  path: string,
  summary: string,
  rest: Omit<Operation, 'method' | 'path' | 'summary'>,
): Operation {
  return { method, path, summary, ...rest };
}
