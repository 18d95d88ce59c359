// The page: the bar, the talk with its composer, the report of a run, and the gate that asks for the token. It decides
// which place is open and what is shown; `Talk` decides what happens in a talk.

import { Component, createRef, Fragment } from 'preact';
import type { ListedCommand } from '../src/commands/list-commands.ts';
import type { ApprovalDecision } from '../src/protocol/approval-decision.ts';
import { browserMemory } from './browser-memory.ts';
import type { Link } from './client/connection.ts';
import { FilePictures } from './client/file-pictures.ts';
import { GatewayClient, type GatewayNews, RefusedError, type WaitingPairing } from './client/gateway-client.ts';
import { firstPlace, listPlaces, newBrowserName, type Place } from './place.ts';
import { ReportPanel, type ShownReport } from './report/report-panel.tsx';
import { loadRunReport } from './report/run-report.ts';
import { Talk } from './talk/talk.ts';
import { Bar } from './view/bar.tsx';
import type { ChosenFile } from './view/chosen-files.tsx';
import { Composer, isUploading } from './view/composer.tsx';
import { Gate } from './view/gate.tsx';
import { GatewayNotes } from './view/gateway-notes.tsx';
import { type PairingAnswer, PairingRequests } from './view/pairing-requests.tsx';
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
  readonly news: GatewayNews;
  readonly pairings: readonly WaitingPairing[];
  readonly answering: WaitingPairing | undefined;
  readonly text: string;
  /** The files of the message that is being written. */
  readonly files: readonly ChosenFile[];
  readonly isDropping: boolean;
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
    news: { warnings: [], unused: [], channels: [] },
    pairings: [],
    answering: undefined,
    text: '',
    files: [],
    isDropping: false,
    report: undefined,
    isPanelOpen: false,
  };
  readonly #field = createRef<HTMLTextAreaElement>();
  #client: GatewayClient | undefined;
  #pictures: FilePictures | undefined;
  #lastFile = 0;
  /** The run whose report was requested last; an answer about another run comes too late and is ignored. */
  #reportOf: string | undefined;
  #reports = 0;
  #isDrawing = false;

  override componentDidMount(): void {
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#escape();
    });
    setInterval(() => {
      if (document.visibilityState === 'visible') void this.#readPairings();
    }, PAIRINGS_MS);
    if (this.props.token) void this.#enter(this.props.token);
    else this.#showGate('');
  }

  override render(_: AppProps, state: AppState) {
    const { talk, places, commands, link, problem, text, files, isPanelOpen } = state;
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
          <section
            class={state.isDropping ? 'chat dropping' : 'chat'}
            aria-label="Conversation"
            onDragOver={(event) => {
              if (!event.dataTransfer?.types.includes('Files')) return;
              event.preventDefault();
              this.setState({ isDropping: true });
            }}
            onDragLeave={() => this.setState({ isDropping: false })}
            onDrop={(event) => {
              event.preventDefault();
              this.setState({ isDropping: false });
              this.#addFiles([...(event.dataTransfer?.files ?? [])]);
            }}
          >
            <GatewayNotes {...state.news} />
            <PairingRequests requests={state.pairings} answering={state.answering} onAnswer={this.#answerPairing} />
            <TalkLog
              talk={talk}
              version={state.talkVersion}
              onAnswer={this.#answer}
              onInspect={this.#inspect}
              onStopSubagent={this.#stopSubagent}
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
              files={files}
              onFiles={(chosen) => this.#addFiles(chosen)}
              onRemoveFile={(key) => this.#removeFile(key)}
              onText={(changed) => this.setState({ text: changed })}
              onSubmit={() => this.#submit(text, files)}
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
      this.#pictures = new FilePictures(client);
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
      pictures: this.#pictures ?? new FilePictures(this.#client),
      changed: (isDraft) => this.#talkChanged(isDraft),
      tell: (problem) => this.#tell(problem),
      showLink: (link) => {
        this.setState({ link });
        // The gateway may be another one, or have another configuration, after it was away.
        if (link.state === 'on') void this.#readNews();
      },
      runEnded: (runId) => {
        void this.#showReport(runId, true);
        setTimeout(() => void this.#lookAgain(runId), RECORDS_MS);
      },
      giveBack: (returned, sent) =>
        this.setState(({ text, files }) => ({
          text: text === '' ? returned : returned === '' ? text : `${returned}\n\n${text}`,
          files: [
            ...sent.map((file) => ({ key: ++this.#lastFile, name: file.name, size: file.size, sent: file })),
            ...files,
          ],
        })),
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

  #submit(text: string, files: readonly ChosenFile[] = []): void {
    const { talk } = this.state;
    const sent = files.flatMap((file) => file.sent ?? []);
    if ((text.trim() === '' && sent.length === 0) || !talk || files.some(isUploading)) return;
    // A message that cannot be sent is given back at once, so the field is emptied first.
    this.setState({ text: '', problem: '', ...(files.length > 0 && { files: [] }) });
    talk.submit(text, sent);
    this.#field.current?.focus();
  }

  /** Each file is uploaded at once, so that the message only has to name it. */
  #addFiles(chosen: readonly File[]): void {
    for (const file of chosen) void this.#addFile(file);
    this.#field.current?.focus();
  }

  async #addFile(file: File): Promise<void> {
    if (!this.#client) return;
    const key = ++this.#lastFile;
    const { name, size, type } = file;
    const picture = type.startsWith('image/') ? URL.createObjectURL(file) : undefined;
    const change = (told: Partial<ChosenFile>) =>
      this.setState(({ files }) => ({ files: files.map((each) => (each.key === key ? { ...each, ...told } : each)) }));
    this.setState(({ files }) => ({ files: [...files, { key, name: name || 'file', size, picture }] }));
    try {
      if (size > LARGEST_FILE) throw new Error(`The file "${name}" is too large to be sent from this page.`);
      const sent = await this.#client.upload(file);
      this.#pictures?.remember(sent.hash, file);
      change({ sent });
    } catch (error) {
      const problem = error instanceof TypeError ? CANNOT_BE_REACHED : messageOf(error);
      change({ problem });
      this.#tell(problem);
    }
  }

  #removeFile(key: number): void {
    this.setState(({ files }) => ({ files: files.filter((each) => each.key !== key), problem: '' }));
  }

  #tell(problem: string): void {
    this.setState({ problem });
  }

  #escape(): void {
    if (this.state.isGateOpen) return;
    if (this.state.isPanelOpen) this.setState({ isPanelOpen: false });
    else this.state.talk?.stop();
  }

  /** What is shown stays when the gateway cannot be asked; the connection says so elsewhere. */
  async #readNews(): Promise<void> {
    const news = await this.#client?.status().catch(() => undefined);
    if (!news) return;
    this.setState({ news });
    await this.#readPairings();
  }

  /** Requests come at any time, and only from chat platforms. */
  async #readPairings(): Promise<void> {
    const hasPlatform = this.state.news.channels.some(({ id }) => !OWN_CHANNELS.has(id));
    if (!hasPlatform || this.state.link.state !== 'on' || this.state.answering) return;
    const pairings = await this.#client?.waitingPairings().catch(() => undefined);
    if (pairings && !this.state.answering) this.setState({ pairings });
  }

  readonly #answerPairing = async (request: WaitingPairing, answer: PairingAnswer): Promise<void> => {
    this.setState({ answering: request });
    this.#tell('');
    try {
      await (answer === 'approve' ? this.#client?.approvePairing(request) : this.#client?.refusePairing(request));
      this.setState(({ pairings }) => ({ pairings: pairings.filter((each) => each !== request) }));
    } catch (error) {
      this.#tell(error instanceof TypeError ? CANNOT_BE_REACHED : messageOf(error));
    } finally {
      this.setState({ answering: undefined }, () => void this.#readPairings());
    }
  };

  /** What failed in a run is written down a moment after its end. */
  async #lookAgain(runId: string): Promise<void> {
    void this.#readNews();
    const failedHooks = await this.#client?.failedHooks(runId).catch(() => undefined);
    this.setState(({ report }) =>
      failedHooks && report && 'run' in report && report.run.runId === runId
        ? { report: { ...report, failedHooks } }
        : null,
    );
  }

  readonly #answer = (approvalId: string, decision: ApprovalDecision): void => {
    void this.state.talk?.answer(approvalId, decision);
  };

  readonly #stopSubagent = (sessionKey: string): void => {
    void this.state.talk?.stopSubagent(sessionKey);
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
      const hasMuch = report.report !== undefined || report.calls.length > 0 || report.run.status === 'failed';
      if (this.#reportOf === runId && (hasMuch || !isQuiet))
        this.setState({ report: { key: ++this.#reports, ...report } });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#reportOf === runId && !isQuiet) this.setState({ report: { key: ++this.#reports, problem } });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The gateway takes less; a larger file is not even read. */
const LARGEST_FILE = 36 * 1024 * 1024;
const RETRY_MS = 2_000;
/** How often the page looks for people who ask to talk. */
const PAIRINGS_MS = 5_000;
/** These channels need the token, so no person asks there. */
const OWN_CHANNELS: ReadonlySet<string> = new Set(['web', 'cli', 'api']);
/** How long after the end of a run its records are complete. */
const RECORDS_MS = 1_500;
const CANNOT_BE_REACHED = 'The gateway cannot be reached. This page tries again by itself.';
