// What tests of plugins can import as `atrium/testkit`. `atrium plugins test` hands it to them.

export { fail, type ModelReply, reply, thought, toolCall, toolCalls } from '../testkit/model-server.ts';
export { type TestedPlugin, type TestPluginOptions, testPlugin } from '../testkit/test-plugin.ts';
