// The property list with which launchd of macOS runs a gateway for one user. It is pure. It was not tried on a Mac.

import { join } from 'node:path';
import { MARK, type ServicePlan } from './service-plan.ts';

export function launchdLabel(name: string): string {
  return `local.${name}`;
}

export function launchdPlist({ name, program, variables, stateDir, stopSeconds }: ServicePlan): string {
  const log = join(stateDir, 'logs', 'service.log');
  const variableLines = Object.entries(variables).map(
    ([key, value]) => `    <key>${xml(key)}</key><string>${xml(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${xml(launchdLabel(name))}</string>
  <key>ProgramArguments</key>
  <array>
${program.map((each) => `    <string>${xml(each)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variableLines.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>ExitTimeOut</key><integer>${stopSeconds}</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${xml(log)}</string>
  <key>StandardErrorPath</key><string>${xml(log)}</string>
</dict>
</plist>
`;
}

function xml(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
