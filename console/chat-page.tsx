// The page of a conversation: what is wrong with the gateway, the turns, the field, and beside them the report of a run.

import { useComputed } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { ChatRoom } from './chat-room.ts';
import type { ConsoleState } from './console-state.ts';
import { ReportPanel } from './report/report-panel.tsx';
import { forksOf } from './talk/forks.ts';
import { Composer } from './view/composer.tsx';
import { EmptyState } from './view/empty-state.tsx';
import { GatewayNotes } from './view/gateway-notes.tsx';
import { Link } from './view/link.tsx';
import { ModelPicker } from './view/model-picker.tsx';
import { PairingRequests } from './view/pairing-requests.tsx';
import { TalkLog } from './view/talk-log.tsx';
import { Welcome } from './view/welcome.tsx';

export function ChatPage({ state, room }: { state: ConsoleState; room: ChatRoom }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isDropping, setDropping] = useState(false);
  const forks = useComputed(() => {
    const current = state.sessionOf(room.session.value);
    return current ? forksOf(state.sessions.value, current) : [];
  });
  const talk = room.talk.value;
  const problem = state.problem.value;
  if (room.missing.value !== '')
    return (
      <EmptyState title="There is no conversation here" text={room.missing.value}>
        <Link class="button" to={{ page: 'new' }}>
          New conversation
        </Link>
      </EmptyState>
    );
  void room.version.value;
  // Before the first message there is nothing to report, and the conversation has the whole width.
  const hasPanel = room.isPanelOpen.value && talk?.isWelcoming !== true;
  const agent = state.agents.value.find(({ agentId }) => agentId === talk?.place.agentId);
  const submit = (text: string) => {
    room.submit(text);
    field.current?.focus();
  };
  return (
    <div class={hasPanel ? 'columns with-panel' : 'columns'}>
      <section
        class={isDropping ? 'chat dropping' : 'chat'}
        aria-label="Conversation"
        onDragOver={(event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(false);
          room.addFiles([...(event.dataTransfer?.files ?? [])]);
          field.current?.focus();
        }}
      >
        <GatewayNotes {...state.news.value} canHide />
        <PairingRequests
          requests={state.pairings.value}
          answering={state.answering.value}
          onAnswer={state.answerPairing}
        />
        <TalkLog
          talk={talk}
          version={room.version.value}
          session={room.session.value}
          sought={room.sought.value}
          facts={room.facts}
          forks={forks.value}
          onAnswer={room.answer}
          onInspect={room.inspect}
          onStopSubagent={room.stopSubagent}
          onResend={(turn, text) => void room.resend(turn, text)}
          onBranch={(turn) => void room.branchFrom(turn)}
          welcome={agent && <Welcome agent={agent} onSubmit={submit} onLookAgain={() => void state.readAgents()} />}
        />
        <div class="under">
          <p id="problem" class="problem" role="alert" hidden={problem === ''}>
            {problem}
          </p>
          {talk?.place.closed ? (
            <p class="closed">
              {talk.place.closed}
              {talk.place.sessionId !== undefined && talk.place.sessionKey !== undefined && (
                <Link class="button quiet" to={{ page: 'session', session: talk.place.sessionKey }}>
                  Go on with it
                </Link>
              )}
            </p>
          ) : (
            <Composer
              field={field}
              text={room.text.value}
              placeId={talk?.place.id}
              agentId={talk?.place.agentId}
              isRunning={talk?.isRunning ?? false}
              commands={state.commands.value}
              files={room.files.value}
              onFiles={(chosen) => {
                room.addFiles(chosen);
                field.current?.focus();
              }}
              onRemoveFile={(key) => room.removeFile(key)}
              onText={(changed) => room.write(changed)}
              onSubmit={() => {
                room.submit(room.text.value, room.files.value);
                field.current?.focus();
              }}
              onStop={() => talk?.stop()}
            >
              <ModelPicker
                key={talk?.place.id}
                choice={room.model.value}
                load={async () => (talk && (await state.entered.value?.client.models(talk.place.agentId))) ?? []}
                onPick={(name) => void room.chooseModel(name)}
              />
            </Composer>
          )}
        </div>
      </section>
      <ReportPanel
        shown={room.report.value}
        session={room.session.value}
        isOpen={hasPanel}
        readRequest={room.readRequest}
        onClose={() => room.showPanel(false)}
      />
    </div>
  );
}
