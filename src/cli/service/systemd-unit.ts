// The unit with which systemd runs a gateway for one user. It is pure. `systemd-analyze verify --user` accepts it, which a test checks.

import { MARK, type ServicePlan } from './service-plan.ts';

export function systemdUnit({ program, variables, stateDir, envFile, stopSeconds }: ServicePlan): string {
  const environment = Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`);
  return `# ${MARK}
# No key stands here: the gateway reads ${withoutLineBreaks(stateDir)}/.env by itself.
[Unit]
Description=Atrium, a gateway for AI agents
After=network-online.target
# It is started again for ever, with longer and longer pauses.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${program.map(word).join(' ')}
ExecReload=/bin/kill -USR1 $MAINPID
${[...environment, ...(envFile === undefined ? [] : [`EnvironmentFile=-${escaped(envFile)}`])].join('\n')}
Restart=on-failure
RestartSec=2
# The pauses grow from 2 seconds to 2 minutes. Before systemd 254 these two lines are not known, and each pause has 2 seconds.
RestartSteps=6
RestartMaxDelaySec=120
# The gateway finishes what is running when it is told to stop.
TimeoutStopSec=${stopSeconds}
KillMode=mixed
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** A word of a command line, in which systemd would also replace variables. */
function word(text: string): string {
  return quoted(text).replaceAll('$', '$$$$');
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** A percent sign begins a name that systemd would replace. A line break would begin a setting. */
function escaped(text: string): string {
  return withoutLineBreaks(text).replaceAll('%', '%%');
}

function withoutLineBreaks(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
