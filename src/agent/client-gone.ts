// The reason of a run that was stopped because its client stopped waiting for the answer. Such an end is not told at
// any surface.

export const CLIENT_GONE = 'the client that asked has gone away';
