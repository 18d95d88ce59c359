// The modules below `openclaw/plugin-sdk` that published plugins import: those of 2026.5.19 and what 2026.9.3 added.
// Every one of them gives the same symbols here; a module that is not in this list does not exist.

import { words } from '../../protocol/words.ts';

export const SDK_SUBPATHS: ReadonlySet<string> = new Set(
  words(`
  access-groups account-core account-helpers account-id account-resolution account-resolution-runtime
  acp-binding-resolve-runtime acp-binding-runtime acp-runtime acp-runtime-backend agent-config-primitives
  agent-core agent-harness agent-harness-exec-review-runtime agent-harness-registration agent-harness-runtime
  agent-harness-task-runtime agent-harness-tool-runtime agent-media-payload agent-runtime
  agent-runtime-test-contracts agent-scope-runtime agent-sessions allow-from allowlist-config-edit
  approval-auth-runtime approval-client-runtime approval-delivery-runtime approval-gateway-runtime
  approval-handler-adapter-runtime approval-handler-runtime approval-native-runtime approval-reaction-runtime
  approval-reference-runtime approval-reply-runtime approval-runtime archive async-lock-runtime blob-runtime
  boolean-param browser-config bundled-channel-config-schema channel-actions channel-activity-runtime
  channel-config-helpers channel-config-primitives channel-config-schema channel-config-schema-legacy
  channel-config-ui-hints channel-config-writes channel-contract channel-contract-testing channel-core
  channel-dm-policy channel-entry-contract channel-envelope channel-feedback channel-inbound
  channel-inbound-debounce channel-inbound-roots channel-ingress channel-ingress-runtime
  channel-join-intro-runtime channel-lifecycle channel-location channel-logging channel-mention-gating
  channel-message channel-message-runtime channel-outbound channel-pairing channel-pairing-paths
  channel-plugin-common channel-policy channel-reply-options-runtime channel-reply-pipeline channel-route
  channel-runtime channel-runtime-context channel-secret-basic-runtime channel-secret-owner-runtime
  channel-secret-runtime channel-secret-tts-runtime channel-send-result channel-setup channel-status
  channel-streaming channel-streaming-config channel-target-testing channel-targets channel-test-helpers
  chat-channel-ids claude-model-runtime cli-argv cli-backend cli-runtime codex-mcp-projection
  codex-native-task-runtime codex-session-transcript-runtime collection-runtime command-auth command-auth-native
  command-detection command-gating command-primitives-runtime command-status command-status-runtime
  command-surface compat computer-use concurrency-runtime config-contracts config-mutation config-runtime
  config-schema config-types context-visibility-runtime control-ui conversation-binding-inspection-runtime
  conversation-binding-runtime conversation-runtime core cron-store-runtime dangerous-name-runtime dedupe-runtime
  delivery-queue-runtime device-bootstrap diagnostic-flags diagnostic-runtime direct-dm direct-dm-access
  direct-dm-guard-policy directory-config-runtime directory-runtime discord doctor-repair-runtime
  document-extractor embedding-provider-adapter embedding-providers error-runtime exec-approvals-runtime
  expect-runtime extension-shared feature-contract feature-plugin fetch-runtime file-access-runtime file-lock
  gateway-config-runtime gateway-method-runtime gateway-runtime global-singleton group-access group-activation
  health heartbeat-runtime hook-runtime host-runtime html-entity-runtime image-generation image-generation-core
  image-generation-runtime inbound-envelope inbound-event-delivery inbound-reply-dispatch infra-runtime
  ingress-effect-once inline-image-data-url-runtime interactive-runtime json-schema-runtime json-store
  json-unsafe-integers keyed-async-queue lazy-runtime llm lmstudio lmstudio-runtime logging-core
  markdown-table-runtime matrix mattermost media-generation-runtime media-generation-runtime-shared
  media-local-roots media-mime media-runtime media-store media-understanding media-understanding-runtime
  meeting-page-script-runtime meeting-runtime memory-core memory-core-engine-runtime
  memory-core-host-embedding-registry memory-core-host-engine-curated memory-core-host-engine-embeddings
  memory-core-host-engine-foundation memory-core-host-engine-fs memory-core-host-engine-knn
  memory-core-host-engine-qmd memory-core-host-engine-schema memory-core-host-engine-sessions
  memory-core-host-engine-storage memory-core-host-events memory-core-host-multimodal memory-core-host-query
  memory-core-host-runtime-cli memory-core-host-runtime-core memory-core-host-runtime-files
  memory-core-host-secret memory-core-host-status memory-host-core memory-host-events memory-host-files
  memory-host-markdown memory-host-search memory-host-status message-tool-delivery-hints messaging-targets
  migration migration-runtime model-catalog-pricing model-ref-parse model-session-runtime models-provider-runtime
  music-generation music-generation-core native-command-config-runtime native-command-registry
  native-hook-relay-runtime node-cli-runtime node-host node-selection-runtime number-runtime outbound-echo-runtime
  outbound-media outbound-runtime outbound-send-deps pair-loop-guard-runtime param-readers persistent-dedupe
  plugin-command-runtime plugin-config-runtime plugin-entry plugin-runtime plugin-state-runtime
  plugin-state-store-runtime plugin-test-api plugin-test-contracts plugin-test-runtime poll-runtime
  process-runtime provider-auth provider-auth-aliases provider-auth-api-key provider-auth-login
  provider-auth-login-flow-runtime provider-auth-result provider-auth-runtime provider-binary-stream
  provider-catalog-live-runtime provider-catalog-runtime provider-catalog-shared provider-entry provider-env-vars
  provider-http provider-http-test-mocks provider-model-metadata provider-model-shared provider-model-types
  provider-oauth-runtime provider-onboard provider-selection-runtime provider-setup provider-stream
  provider-stream-family provider-stream-shared provider-test-contracts provider-thinking-runtime provider-tools
  provider-transport-runtime provider-usage provider-web-fetch provider-web-fetch-contract provider-web-search
  provider-web-search-config-contract provider-web-search-contract provider-zai-endpoint proxy-capture
  qa-runner-runtime question-gateway-runtime realtime-bootstrap-context realtime-transcription
  realtime-transcription-session realtime-voice realtime-voice-activation realtime-voice-audio-queue
  realtime-voice-provider reply-chunking reply-dedupe reply-dispatch-runtime reply-history reply-payload
  reply-reference reply-runtime request-url response-limit-runtime retry-runtime root-walk routing run-command
  runtime runtime-config-snapshot runtime-doctor runtime-doctor-migrations runtime-env runtime-fetch
  runtime-group-policy runtime-logger runtime-secret-resolution runtime-store sandbox secret-file
  secret-file-runtime secret-input secret-input-runtime secret-provider-alias secret-ref-readonly
  secret-ref-runtime secure-random-runtime security-runtime self-hosted-provider-setup session-binding-runtime
  session-catalog session-catalog-paging session-catalog-runtime session-discussion session-key-runtime
  session-store-paths session-store-runtime session-transcript-hit session-transcript-runtime session-visibility
  setup setup-adapter-runtime setup-runtime setup-tools simple-completion-runtime skill-commands-runtime
  skills-runtime speech speech-core speech-provider speech-settings sqlite-runtime ssrf-dispatcher ssrf-policy
  ssrf-runtime ssrf-runtime-internal state-paths status-helpers string-coerce-runtime string-normalization-runtime
  system-event-runtime talk-config-runtime target-resolver-runtime telegram-account telegram-command-config
  temp-path test-env test-fixtures test-node-mocks testing text-autolink-runtime text-chunking text-runtime
  text-utility-runtime thread-bindings-runtime thread-bindings-session-runtime time-runtime tool-payload
  tool-plugin tool-results tool-send transcripts transport-ready-runtime tts-runtime types video-generation
  video-generation-core video-generation-runtime web-content-extractor web-media webhook-ingress webhook-path
  webhook-request-guards webhook-targets websocket-runtime widget-html windows-spawn zalouser zod
  `),
);
