// What may change in a gateway, as far as pages are told that they should read it again. A topic says only that something
// of its kind has changed; the routes of the API say how it is now.

export const CHANGE_TOPICS = [
  'sessions',
  'runs',
  'deliveries',
  'approvals',
  'pairings',
  'dead-letters',
  'jobs',
  'subagents',
  'usage',
  'handlers',
  'plugins',
  'channels',
  'config',
  'files',
] as const;

export type ChangeTopic = (typeof CHANGE_TOPICS)[number];
