// The conversation that is open: its talk, the words that are being written, the files that go with them, the report
// beside it, and what each answer took. It decides which place an address means; `Talk` decides what happens in a talk.

import { signal } from '@preact/signals';
import type { ApprovalDecision } from '../src/protocol/approval-decision.ts';
import type { Upload } from '../src/protocol/attachment.ts';
import { browserMemory } from './browser-memory.ts';
import { type ModelChoice, RefusedError } from './client/gateway-client.ts';
import { type ConsoleState, type Entered, sentenceOf } from './console-state.ts';
import { draft } from './draft.ts';
import { notify } from './notify.ts';
import { agentPlace, defaultAgent, newPlace, type Place, pastPlace, sessionPlace } from './place.ts';
import type { ShownReport } from './report/report-panel.tsx';
import { loadRunReport } from './report/run-report.ts';
import type { Route } from './route.ts';
import { navigate } from './router.ts';
import { shortHash } from './short-hash.ts';
import { type AnswerFacts, factsOfRun } from './talk/answer-facts.ts';
import { Talk } from './talk/talk.ts';
import type { Turn } from './talk/turn.ts';
import { type ChosenFile, isUploading } from './view/chosen-files.tsx';
import type { Sought } from './view/show-sought.ts';

export class ChatRoom {
  readonly talk = signal<Talk | undefined>(undefined);
  /** Increases with every change of the talk, because the talk is a mutable object. */
  readonly version = signal(0);
  /** The key of the conversation, or the id of one that has ended; undefined until the first message is accepted. */
  readonly session = signal<string | undefined>(undefined);
  readonly text = signal('');
  readonly files = signal<readonly ChosenFile[]>([]);
  /** The model that answers here. In a conversation that has not begun it goes with the first message. */
  readonly model = signal<ModelChoice | undefined>(undefined);
  /** The position in the transcript that a person looks for; a new object each time. */
  readonly sought = signal<Sought | undefined>(undefined);
  readonly report = signal<ShownReport | undefined>(undefined);
  /** On a narrow screen the report lies over the conversation, so it is open only while a person reads it. */
  readonly isPanelOpen = signal(isWide() && browserMemory.get('panel') !== 'closed');
  readonly facts = signal<ReadonlyMap<string, AnswerFacts>>(new Map());
  /** Why there is no conversation at this address; empty when there is one. */
  readonly missing = signal('');
  readonly #state: ConsoleState;
  #lastFile = 0;
  #openings = 0;
  /** The run whose report was requested last; an answer about another run comes too late and is ignored. */
  #reportOf: string | undefined;
  #reports = 0;
  #isDrawing = false;
  /** The model that was chosen before the session began, until the gateway has it. */
  #wishedModel: string | undefined;
  #openedWith: Entered | undefined;
  /** The run of this conversation that ended last. */
  #ended: { readonly runId: string; readonly at: number } | undefined;
  /** The person has sent a message whose files are still being uploaded. */
  #isSendingSoon = false;
  /** One branch is made at a time: a second press means the same. */
  #isBranching = false;

  constructor(state: ConsoleState) {
    this.#state = state;
    // A report that fitted beside the conversation would lie over it in a narrower window.
    WIDE.addEventListener('change', () => {
      this.isPanelOpen.value = isWide() && browserMemory.get('panel') !== 'closed';
    });
    state.watch.onChange(['subagents', 'runs', 'usage'], async () => this.talk.value?.subagentsChanged());
    state.watch.onChange(['handlers', 'usage'], async () => this.#recordsChanged());
  }

  /** Opens what an address names. Other pages leave the conversation as it is. */
  async show(route: Route): Promise<void> {
    const entered = this.#state.entered.value;
    if (!entered || (route.page !== 'home' && route.page !== 'new' && route.page !== 'session')) return;
    const opening = ++this.#openings;
    this.missing.value = '';
    try {
      const place = await this.#placeOf(route, entered.browser);
      if (opening !== this.#openings) return;
      if (place) {
        this.#open(place);
        const { at, find = '' } = route.page === 'session' ? route : {};
        this.sought.value = at === undefined ? undefined : { position: at, words: find };
      } else this.missing.value = 'This gateway has no agents. Add one with "atrium agents add NAME".';
    } catch (error) {
      if (opening !== this.#openings) return;
      this.#close();
      this.missing.value = sentenceOf(error);
    }
  }

  async #placeOf(route: Route, browser: string): Promise<Place | undefined> {
    const { agents, entered } = this.#state;
    const known = (key: string | undefined) => this.#state.sessionOf(key);
    const first = defaultAgent(agents.value);
    if (route.page === 'session') {
      const begun = this.#begunHere(route.session);
      const found =
        known(route.session) ??
        (
          await entered.value?.client.session(route.session).catch((error: unknown) => {
            // It has its address from its opening on, and the gateway has a session with the first message.
            if (begun && error instanceof RefusedError && error.status === 404) return undefined;
            throw error;
          })
        )?.session;
      if (!found) return begun;
      if (route.session === found.sessionId && found.endedAt !== null) return pastPlace(found);
      if (route.session === found.sessionId)
        navigate({ page: 'session', session: found.sessionKey }, { replace: true, isSilent: true });
      return sessionPlace(found);
    }
    if (route.page === 'new') {
      const agentId = route.agentId ?? first?.agentId;
      return agentId === undefined ? undefined : this.#begin(browser, agentId);
    }
    const last = known(browserMemory.get('session'));
    if (last) return sessionPlace(last);
    return first && agentPlace(browser, first.agentId);
  }

  /** A conversation that was begun and not sent is gone on with, or its draft could not be found again. */
  #begin(browser: string, agentId: string): Place {
    const begun = browserMemory.get(`begun.${agentId}`);
    const last = begun === undefined ? undefined : newPlace(browser, agentId, begun);
    if (last && !draft.isEmpty(last.surface)) return last;
    const name = shortHash(`${Date.now()} ${Math.random()}`);
    browserMemory.set(`begun.${agentId}`, name);
    return newPlace(browser, agentId, name);
  }

  /** The place of a conversation that this browser has begun, also when nothing was said in it yet. */
  #begunHere(sessionKey: string): Place | undefined {
    const agentId = browserMemory.get(`agent.${sessionKey}`);
    const surface = browserMemory.get(`surface.${sessionKey}`);
    if (agentId === undefined || surface === undefined) return undefined;
    return { id: `begun:${surface}`, agentId, sessionKey, surface };
  }

  #close(): void {
    this.talk.value?.close();
    this.talk.value = undefined;
    this.session.value = undefined;
  }

  #open(place: Place): void {
    const entered = this.#state.entered.value;
    const current = this.talk.value;
    // After another token was given, the conversation is opened with it.
    const isSameEntry = entered === this.#openedWith;
    this.#openedWith = entered;
    if (
      !entered ||
      (isSameEntry && current && place.sessionKey === current.sessionKey && place.sessionId === current.place.sessionId)
    ) {
      // A conversation that begins has no key yet, and opening it again begins another one.
      if (place.sessionKey !== undefined) return;
    }
    if (!entered) return;
    current?.close();
    this.#reportOf = undefined;
    this.report.value = undefined;
    this.facts.value = new Map();
    this.files.value = draft.files(place.surface).map((file) => this.#fileOf(file));
    this.session.value = place.sessionId ?? place.sessionKey;
    if (place.sessionKey !== undefined && place.sessionId === undefined) {
      browserMemory.set('session', place.sessionKey);
      void this.#readFacts(place.sessionKey);
      void this.#look(place.sessionKey);
    }
    void this.#openModel(place);
    this.#state.tell('');
    this.text.value = draft.text(place.surface);
    this.talk.value = new Talk(place, {
      client: entered.client,
      pictures: entered.pictures,
      changed: (isDraft) => this.#changed(isDraft),
      tell: (problem) => this.#state.tell(problem),
      showLink: (link) => {
        this.#state.link.value = link;
        // The gateway may be another one, or have another configuration, after it was away.
        if (link.state === 'on') void this.#state.readNews();
      },
      runEnded: (runId) => this.#runEnded(runId),
      sessionKnown: (key) => this.#sessionKnown(place, key),
      giveBack: (returned, sent) => {
        const { text, files } = this;
        this.write(text.value === '' ? returned : returned === '' ? text.value : `${returned}\n\n${text.value}`);
        files.value = [...sent.map((file) => this.#fileOf(file)), ...files.value];
        this.#keepFiles();
      },
    });
    if (place.sessionId !== undefined) this.#state.link.value = { state: 'on', text: 'Connected' };
  }

  #sessionKnown(place: Place, key: string): void {
    browserMemory.set('session', key);
    const surface = this.talk.value?.surface ?? place.surface;
    browserMemory.set(`surface.${key}`, surface);
    browserMemory.set(`agent.${key}`, place.agentId);
    this.session.value = key;
    navigate({ page: 'session', session: key }, { replace: true, isSilent: true });
    // The conversation may be one in which something was being written before.
    if (this.text.value === '') this.text.value = draft.text(surface);
    void this.#readFacts(key);
    void this.#state.readSession(key);
  }

  /** Reads again which model answers in the open conversation; another device may have chosen one. */
  async readModel(): Promise<void> {
    const key = this.session.value;
    const choice = key && (await this.#state.entered.value?.client.modelOf(key).catch(() => undefined));
    if (choice && this.session.value === key && this.#wishedModel === undefined) this.model.value = choice;
  }

  async #openModel(place: Place): Promise<void> {
    const { agents } = this.#state;
    const own = agents.value.find(({ agentId }) => agentId === place.agentId)?.model;
    this.#wishedModel = undefined;
    this.model.value = own === undefined ? undefined : { model: own, own };
    await this.readModel();
  }

  /** The choice that was made before the conversation began holds for all of it. */
  async #keepModel(key: string): Promise<void> {
    const wished = this.#wishedModel;
    if (wished === undefined) return;
    const choice = await this.#state.entered.value?.client.chooseModel(key, wished).catch(() => undefined);
    if (!choice || this.#wishedModel !== wished || this.session.value !== key) return;
    this.#wishedModel = undefined;
    this.model.value = choice;
  }

  readonly chooseModel = async (name: string | null): Promise<void> => {
    const before = this.model.value;
    if (!before) return;
    this.model.value = { ...before, model: name ?? before.own };
    const key = this.session.value;
    this.#wishedModel = name ?? undefined;
    if (key === undefined || !this.#state.sessionOf(key)) return;
    this.#wishedModel = undefined;
    try {
      const choice = await this.#state.entered.value?.client.chooseModel(key, name);
      if (choice && this.session.value === key) this.model.value = choice;
    } catch (error) {
      if (this.session.value === key) this.model.value = before;
      this.#state.tellError(error);
    }
  };

  /**
   * Says something again in a branch before its turn. The branch takes the place of the conversation in the list, and the
   * old one stays reachable from the turn.
   */
  readonly resend = async (turn: Turn, text: string): Promise<void> => {
    const { entered } = this.#state;
    const key = this.session.value;
    const said = turn.said;
    const known = this.#state.sessionOf(key);
    if (!entered.value || key === undefined || !said || !known || this.#isBranching) return;
    const { client } = entered.value;
    this.#isBranching = true;
    try {
      const files = await Promise.all(
        said.files.map(async ({ hash, name, mime }) => {
          const bytes = await client.attachment(key, hash);
          return client.upload(new File([bytes], name, { type: mime }));
        }),
      );
      const name = branchName();
      const branch = await client.branch(key, { before: turn.runId, name, title: known.title });
      if (known.surface?.channel === 'web' && known.type === 'interactive')
        await client.markSession(known.sessionId, { isArchived: true }).catch(() => undefined);
      await Promise.all([this.#state.readSession(branch.sessionKey), this.#state.readSession(key)]);
      await this.#goTo(branch.sessionKey);
      this.talk.value?.submit(text, files);
    } catch (error) {
      this.#state.tellError(error);
    } finally {
      this.#isBranching = false;
    }
  };

  /** A conversation of its own with everything up to the end of this turn. */
  readonly branchFrom = async (turn: Turn): Promise<void> => {
    const { entered } = this.#state;
    const key = this.session.value;
    if (!entered.value || key === undefined || this.#isBranching) return;
    this.#isBranching = true;
    try {
      const branch = await entered.value.client.branch(key, { through: turn.runId, name: branchName() });
      await this.#state.readSession(branch.sessionKey);
      await this.#goTo(branch.sessionKey);
    } catch (error) {
      this.#state.tellError(error);
    } finally {
      this.#isBranching = false;
    }
  };

  /** Opens a conversation that the list has, and waits until it is open. */
  async #goTo(session: string): Promise<void> {
    const route: Route = { page: 'session', session };
    navigate(route, { isSilent: true });
    await this.show(route);
    navigate(route);
  }

  /** What is open is read by the person. */
  async #look(session: string): Promise<void> {
    if (document.visibilityState !== 'visible') return;
    await this.#state.entered.value?.client.markSession(session, { isSeen: true }).catch(() => undefined);
  }

  /** Drafts change more often than a screen is drawn. */
  #changed(isDraft: boolean): void {
    const draw = () => {
      this.version.value += 1;
    };
    if (!isDraft) draw();
    else if (!this.#isDrawing) {
      this.#isDrawing = true;
      requestAnimationFrame(() => {
        this.#isDrawing = false;
        draw();
      });
    }
  }

  #runEnded(runId: string): void {
    void this.#showReport(runId, true);
    const key = this.session.value;
    this.#ended = { runId, at: Date.now() };
    if (key !== undefined) void this.#readFacts(key);
    void this.#state.readNews();
    if (key !== undefined && this.talk.value?.place.sessionId === undefined) {
      void this.#look(key);
      void this.#keepModel(key);
    }
    const turn = this.talk.value?.turns.find((each) => each.runId === runId);
    const last = turn?.flow.findLast((item) => item.kind === 'part' || item.kind === 'draft');
    if (last && 'text' in last) notify(`Answer of ${this.talk.value?.place.agentId}`, last.text, this.session.value);
  }

  write(text: string): void {
    this.text.value = text;
    // Who goes on writing has not finished.
    this.#isSendingSoon = false;
    const surface = this.talk.value?.surface;
    if (surface) draft.keepText(surface, text);
  }

  #fileOf(sent: Upload): ChosenFile {
    return { key: ++this.#lastFile, name: sent.name, size: sent.size, sent };
  }

  #keepFiles(): void {
    const surface = this.talk.value?.surface;
    if (surface)
      draft.keepFiles(
        surface,
        this.files.value.flatMap(({ sent }) => sent ?? []),
      );
  }

  submit(text: string, files: readonly ChosenFile[] = []): void {
    const talk = this.talk.value;
    const sent = files.flatMap((file) => file.sent ?? []);
    if (!talk) return;
    this.#isSendingSoon = files.some(isUploading);
    if (this.#isSendingSoon) {
      this.#state.tell(SENT_SOON);
      return;
    }
    if (text.trim() === '' && sent.length === 0) return;
    // A message that cannot be sent is given back at once, so the field is emptied first.
    this.write('');
    this.#state.tell('');
    if (files.length > 0) this.files.value = [];
    this.#keepFiles();
    browserMemory.remove(`begun.${talk.place.agentId}`);
    talk.submit(text, sent, this.#wishedModel);
  }

  /** Each file is uploaded at once, so that the message only has to name it. */
  addFiles(chosen: readonly File[]): void {
    for (const file of chosen) void this.#addFile(file);
  }

  async #addFile(file: File): Promise<void> {
    const entered = this.#state.entered.value;
    if (!entered) return;
    const key = ++this.#lastFile;
    const { name, size, type } = file;
    const picture = type.startsWith('image/') ? URL.createObjectURL(file) : undefined;
    const change = (told: Partial<ChosenFile>) => {
      this.files.value = this.files.value.map((each) => (each.key === key ? { ...each, ...told } : each));
    };
    this.files.value = [...this.files.value, { key, name: name || 'file', size, picture }];
    try {
      if (size > LARGEST_FILE) throw new Error(`The file "${name}" is too large to be sent from this page.`);
      const sent = await entered.client.upload(file);
      entered.pictures.remember(sent.hash, file);
      change({ sent });
      this.#keepFiles();
      if (this.#isSendingSoon && !this.files.value.some(isUploading)) this.submit(this.text.value, this.files.value);
    } catch (error) {
      change({ problem: sentenceOf(error) });
      this.#state.tellError(error);
    }
  }

  removeFile(key: number): void {
    this.files.value = this.files.value.filter((each) => each.key !== key);
    this.#keepFiles();
    this.#state.tell('');
  }

  readonly answer = (approvalId: string, decision: ApprovalDecision): void => {
    void this.talk.value?.answer(approvalId, decision);
  };

  readonly stopSubagent = (sessionKey: string): void => {
    void this.talk.value?.stopSubagent(sessionKey);
  };

  showPanel(isOpen: boolean): void {
    this.isPanelOpen.value = isOpen;
    if (isWide()) browserMemory.set('panel', isOpen ? 'open' : 'closed');
  }

  readonly inspect = (runId: string): void => {
    void this.#showReport(runId, false);
  };

  readonly readRequest = async (runId: string, call: number): Promise<string> =>
    (await this.#state.entered.value?.client.request(runId, call)) ?? '';

  /** Model, tokens, cost and time of the answers. They are additions; without them the talk is still complete. */
  async #readFacts(sessionKey: string): Promise<void> {
    const client = this.#state.entered.value?.client;
    if (!client) return;
    try {
      // The answers that a branch began with were given in the conversations that it comes from.
      const keys = this.#state.lineOf(sessionKey).slice(0, LONGEST_LINE);
      const read = keys.map(async (key) => {
        const [runs, costs] = await Promise.all([client.runsOf(key), client.costsOf(key)]);
        return runs.map((run) => [run.runId, factsOfRun(run, costs.get(run.runId))] as const);
      });
      const facts = (await Promise.all(read)).flat();
      if (this.session.value === sessionKey) this.facts.value = new Map(facts);
    } catch (error) {
      if (error instanceof RefusedError && error.status !== 404) this.#state.tellError(error);
    }
  }

  /** What failed in a run, and what it cost, is written down a moment after its end. */
  async #recordsChanged(): Promise<void> {
    const { runId, at } = this.#ended ?? {};
    if (runId === undefined || at === undefined || Date.now() - at > RECORDS_MS) return;
    void this.#state.readNews();
    const key = this.session.value;
    if (key !== undefined) await this.#readFacts(key);
    const failedHooks = await this.#state.entered.value?.client.failedHooks(runId).catch(() => undefined);
    const shown = this.report.value;
    if (failedHooks && shown && 'run' in shown && shown.run.runId === runId)
      this.report.value = { ...shown, failedHooks };
  }

  /**
   * `isQuiet` means that no person asked for the report. When such a run has nothing to show, for example a command,
   * the last report stays visible.
   */
  async #showReport(runId: string, isQuiet: boolean): Promise<void> {
    const client = this.#state.entered.value?.client;
    if (!client) return;
    this.#reportOf = runId;
    if (!isQuiet) this.showPanel(true);
    try {
      const report = await loadRunReport(client, runId);
      const hasMuch = report.report !== undefined || report.calls.length > 0 || report.run.status === 'failed';
      if (this.#reportOf === runId && (hasMuch || !isQuiet)) this.report.value = { key: ++this.#reports, ...report };
    } catch (error) {
      if (this.#reportOf === runId && !isQuiet)
        this.report.value = { key: ++this.#reports, problem: sentenceOf(error) };
    }
  }
}

/** Whether the report fits beside the conversation. */
export function isWide(): boolean {
  return WIDE.matches;
}

const WIDE = matchMedia('(min-width: 1081px)');

const SENT_SOON = 'The message is sent as soon as its files are uploaded.';
/** The gateway takes less; a larger file is not even read. */
const LARGEST_FILE = 36 * 1024 * 1024;
/** How many conversations back the facts of answers are read. */
const LONGEST_LINE = 5;

function branchName(): string {
  return `branch-${Date.now().toString(36)}${shortHash(String(Math.random()))}`.toLowerCase();
}

/** How long after the end of a run its records may still change. */
const RECORDS_MS = 10_000;
