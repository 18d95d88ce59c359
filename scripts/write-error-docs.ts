// The command `npm run docs:errors`: writes what the definitions of the errors say into docs/errors.md.

import { writeFileSync } from 'node:fs';
import { ERRORS_PAGE, generateErrorDocs, listErrors } from './error-docs.ts';

listErrors().then((errors) => writeFileSync(ERRORS_PAGE, generateErrorDocs(errors)));
