// The version of this package; `package.json` says the same, and a test keeps the two equal.

export const VERSION = '0.1.0';
