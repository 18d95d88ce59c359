// Errors of the functions that programs import.

import { defineError } from '../protocol/errors.ts';

export class UnknownOptionError extends defineError({
  code: 'ATRIUM_OPTION_UNKNOWN',
  status: 400,
  message: ({
    call,
    option,
    detail,
    suggestion,
  }: {
    call: string;
    option: string;
    detail?: string;
    suggestion?: string | undefined;
  }) => {
    const why = detail ?? 'there is no such option, and it would have no effect';
    return `${call} was given "${option}": ${why}.${suggestion ? ` Did you mean "${suggestion}"?` : ''}`;
  },
  means: 'A function that programs call was given an option, or a value of one, that it does not know.',
  remedy: 'Use one of the documented names.',
}) {}
