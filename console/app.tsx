// The page: the bar, the talk with its composer, the report of a run, and the gate that asks for the token. It decides
// which place is open and what is shown; `Talk` decides what happens in a talk.

import { Component, createRef, Fragment } from 'preact';
import type { ListedCommand } from '../src/commands/list-commands.ts';
import type { ApprovalDecision } from '../src/protocol/approval-decision.ts';
import { browserMemory } from './browser-memory.ts';
import type { Link } from './client/connection.ts';
import { GatewayClient, RefusedError } from './client/gateway-client.ts';
import { firstPlace, listPlaces, newBrowserName, type Place } from './place.ts';
import { ReportPanel, type ShownReport } from './report/report-panel.tsx';
import { loadRunReport } from './report/run-report.ts';
import { Talk } from './talk/talk.ts';
import { Bar } from './view/bar.tsx';
import { Composer } from './view/composer.tsx';
import { Gate } from './view/gate.tsx';
import { TalkLog } from './view/talk-log.tsx';

export interface AppProps {
  /** Undefined when neither the address nor the browser has one. */
  readonly token: string | undefined;
}

interface AppState {
  readonly isGateOpen: boolean;
  readonly gateProblem: string;
  readonly places: readonly Place[];
  readonly commands: readonly ListedCommand[];
  readonly talk: Talk | undefined;
  /** Increases with every change of the talk, because the talk is a mutable object. */
  readonly talkVersion: number;
  readonly link: Link;
  readonly problem: string;
  readonly text: string;
  readonly report: ShownReport | undefined;
  readonly isPanelOpen: boolean;
}

export class App extends Component<AppProps, AppState> {
  override state: AppState = {
    isGateOpen: false,
    gateProblem: '',
    places: [],
    commands: [],
    talk: undefined,
    talkVersion: 0,
    link: { state: 'off', text: 'Not connected' },
    problem: '',
    text: '',
    report: undefined,
    isPanelOpen: false,
  };
  readonly #field = createRef<HTMLTextAreaElement>();
  #client: GatewayClient | undefined;
  /** The run whose report was requested last; an answer about another run comes too late and is ignored. */
  #reportOf: string | undefined;
  #reports = 0;
  #isDrawing = false;

  override componentDidMount(): void {
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#escape();
    });
    if (this.props.token) void this.#enter(this.props.token);
    else this.#showGate('');
  }

  override render(_: AppProps, state: AppState) {
    const { talk, places, commands, link, problem, text, isPanelOpen } = state;
    return (
      <>
        <Bar
          places={places}
          place={talk?.place}
          link={link}
          isPanelOpen={isPanelOpen}
          onPick={(place) => this.#open(place)}
          onNewSession={() => this.#submit('/new')}
          onPanelToggle={() => this.setState({ isPanelOpen: !isPanelOpen })}
        />
        <main class="columns">
          <section class="chat" aria-label="Conversation">
            <TalkLog
              talk={talk}
              version={state.talkVersion}
              onAnswer={this.#answer}
              onInspect={this.#inspect}
              onSubmit={(offer) => this.#submit(offer)}
            />
            <p id="problem" class="problem" role="alert" hidden={problem === ''}>
              {problem}
            </p>
            <Composer
              field={this.#field}
              text={text}
              placeId={talk?.place.id}
              isRunning={talk?.isRunning ?? false}
              onText={(changed) => this.setState({ text: changed })}
              onSubmit={() => this.#submit(text)}
              onStop={() => talk?.stop()}
            />
            <p class="hint">
              {'Enter sends, Shift+Enter makes a new line, Esc stops the agent. Commands: '}
              {commands.map(({ name, help }, index) => (
                <Fragment key={name}>
                  {index > 0 && ', '}
                  <span title={help}>{`/${name}`}</span>
                </Fragment>
              ))}
            </p>
          </section>
          <ReportPanel shown={state.report} isOpen={isPanelOpen} readRequest={this.#readRequest} />
        </main>
        <Gate isOpen={state.isGateOpen} problem={state.gateProblem} onToken={(token) => void this.#enter(token)} />
      </>
    );
  }

  /**
   * Shows the gate until the gateway accepts the token, and tries again by itself while the gateway cannot be reached.
   */
  async #enter(token: string): Promise<void> {
    const client = new GatewayClient(token);
    try {
      const [agents, sessions, commands] = await Promise.all([
        client.agents(),
        client.openSessions(),
        client.commands(),
      ]);
      browserMemory.set('token', token);
      this.#client = client;
      this.setState({ isGateOpen: false });
      const browser = browserMemory.get('browser') ?? newBrowserName();
      browserMemory.set('browser', browser);
      const places = listPlaces(browser, agents, sessions);
      const place = firstPlace(places, agents, browserMemory.get('place'));
      this.setState({ places, commands });
      if (place) this.#open(place);
      else this.#tell('This gateway has no agents. Add one with "atrium agents add".');
    } catch (error) {
      const status = error instanceof RefusedError ? error.status : undefined;
      const message = error instanceof RefusedError ? error.message : CANNOT_BE_REACHED;
      if (status === 401) browserMemory.remove('token');
      if (status === 401 || status === 429) this.#showGate(message);
      else {
        this.#tell(message);
        setTimeout(() => void this.#enter(token), RETRY_MS);
      }
    }
  }

  #showGate(gateProblem: string): void {
    this.setState({ isGateOpen: true, gateProblem });
  }

  #open(place: Place): void {
    if (!this.#client) return;
    this.state.talk?.close();
    browserMemory.set('place', place.id);
    this.#reportOf = undefined;
    this.#tell('');
    const talk = new Talk(place, {
      client: this.#client,
      changed: (isDraft) => this.#talkChanged(isDraft),
      tell: (problem) => this.#tell(problem),
      showLink: (link) => this.setState({ link }),
      runEnded: (runId) => void this.#showReport(runId, true),
      giveBack: (returned) =>
        this.setState(({ text }) => ({ text: text === '' ? returned : `${returned}\n\n${text}` })),
    });
    this.setState({ talk });
  }

  /** Drafts change more often than a screen is drawn. */
  #talkChanged(isDraft: boolean): void {
    const draw = () => this.setState(({ talkVersion }) => ({ talkVersion: talkVersion + 1 }));
    if (!isDraft) draw();
    else if (!this.#isDrawing) {
      this.#isDrawing = true;
      requestAnimationFrame(() => {
        this.#isDrawing = false;
        draw();
      });
    }
  }

  #submit(text: string): void {
    const { talk } = this.state;
    if (text.trim() === '' || !talk) return;
    // A message that cannot be sent is given back at once, so the field is emptied first.
    this.setState({ text: '', problem: '' });
    talk.submit(text);
    this.#field.current?.focus();
  }

  #tell(problem: string): void {
    this.setState({ problem });
  }

  #escape(): void {
    if (this.state.isGateOpen) return;
    if (this.state.isPanelOpen) this.setState({ isPanelOpen: false });
    else this.state.talk?.stop();
  }

  readonly #answer = (approvalId: string, decision: ApprovalDecision): void => {
    void this.state.talk?.answer(approvalId, decision);
  };

  readonly #inspect = (runId: string): void => {
    void this.#showReport(runId, false);
  };

  readonly #readRequest = async (runId: string, call: number): Promise<string> =>
    (await this.#client?.request(runId, call)) ?? '';

  /**
   * `isQuiet` means that no person asked for the report. When such a run has nothing to show, for example a command,
   * the last report stays visible.
   */
  async #showReport(runId: string, isQuiet: boolean): Promise<void> {
    if (!this.#client) return;
    this.#reportOf = runId;
    if (!isQuiet) this.setState({ isPanelOpen: true });
    try {
      const report = await loadRunReport(this.#client, runId);
      const hasMuch = report.report !== undefined || report.calls.length > 0;
      if (this.#reportOf === runId && (hasMuch || !isQuiet))
        this.setState({ report: { key: ++this.#reports, ...report } });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#reportOf === runId && !isQuiet) this.setState({ report: { key: ++this.#reports, problem } });
    }
  }
}

const RETRY_MS = 2_000;
const CANNOT_BE_REACHED = 'The gateway cannot be reached. This page tries again by itself.';
