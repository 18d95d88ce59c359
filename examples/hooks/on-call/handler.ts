import { BootstrapFileHelper, type InternalHookEvent, isAgentBootstrapEvent } from 'atrium/context';

/** From Sunday to Saturday. */
const ROTA = ['the workshop', 'the office', 'the office', 'the lab', 'the lab', 'the field team', 'the workshop'];

export default function handler(event: InternalHookEvent): void {
  if (!isAgentBootstrapEvent(event) || !event.context.timeContext) return;
  const { dayOfWeek } = event.context.timeContext;
  const files = new BootstrapFileHelper(event.context);
  files.appendToFile('TOOLS.md', `On call today: ${ROTA[dayOfWeek]}. Pass on what cannot wait.`);
}
