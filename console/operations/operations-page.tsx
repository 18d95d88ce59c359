// What an operator looks at, in three parts: how the gateway is now, what is scheduled, and its settings. Each part reads
// what it shows, and follows the gateway while it is open.

import type { ConsoleState } from '../console-state.ts';
import type { OperationsPart } from '../route.ts';
import { Link } from '../view/link.tsx';
import { Overview } from './overview.tsx';
import { Schedule } from './schedule.tsx';
import { SettingsForm } from './settings-form.tsx';
import '../style/operator.css';

export default function OperationsPage({ state, part }: { state: ConsoleState; part: OperationsPart | undefined }) {
  return (
    <div class="plain-page operator">
      <nav class="parts" aria-label="Parts of operations">
        {PARTS.map(([name, title]) => (
          <Link key={title} to={{ page: 'operations', part: name }} isCurrent={part === name}>
            {title}
          </Link>
        ))}
      </nav>
      {part === undefined && <Overview state={state} />}
      {part === 'schedule' && <Schedule state={state} />}
      {part === 'settings' && <SettingsForm state={state} />}
    </div>
  );
}

const PARTS: readonly (readonly [OperationsPart | undefined, string])[] = [
  [undefined, 'Now'],
  ['schedule', 'Schedule'],
  ['settings', 'Settings'],
];
