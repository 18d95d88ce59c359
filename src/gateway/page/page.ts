// The page at `/`: one document with its style and script inside, and a policy that lets a browser run exactly those. It
// holds no secret; the token comes from the address behind the `#`, which browsers never send.

import { createHash } from 'node:crypto';
import { PAGE_MARKUP } from './markup.ts';
import { APPROVAL_SCRIPT } from './script-approvals.ts';
import { CHAT_SCRIPT } from './script-chat.ts';
import { CONNECTION_SCRIPT } from './script-connection.ts';
import { DOM_SCRIPT } from './script-dom.ts';
import { MAIN_SCRIPT } from './script-main.ts';
import { REPORT_SCRIPT } from './script-report.ts';
import { PAGE_STYLE } from './style.ts';

/** The parts share one scope, and leave nothing behind in the window. */
const PAGE_SCRIPT = [
  "(() => {\n'use strict';",
  DOM_SCRIPT,
  CONNECTION_SCRIPT,
  CHAT_SCRIPT,
  APPROVAL_SCRIPT,
  REPORT_SCRIPT,
  MAIN_SCRIPT,
  '})();\n',
].join('\n');

export function pageHtml(): string {
  return PAGE_HTML;
}

/** `host` is the one that the page was asked for under: some browsers do not take a socket for the page's own. */
export function pageSecurityPolicy(host: string): string {
  const socket = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : '';
  return [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    `connect-src 'self'${socket}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Atrium</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 14V7a6 6 0 0 1 12 0v7h-3V7.5a3 3 0 0 0-6 0V14z' fill='%232f6f62'/%3E%3C/svg%3E">
<style>${PAGE_STYLE}</style>
</head>
<body>
${PAGE_MARKUP}
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
