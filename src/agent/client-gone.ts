// Why a run was stopped whose client did not wait for the answer. Nobody is told of such an end.

export const CLIENT_GONE = 'the client that asked has gone away';
