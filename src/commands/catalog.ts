// The product's own chat commands, one row each. A new command is a row here; `/help`, completion, `GET /api/commands`, the
// page and docs/commands.md follow. Commands of plugins have rows of the same shape, which come and go with the plugins.

import { countOf } from '../protocol/count-of.ts';
import type { ChatCommand } from './chat-command.ts';
import { commandsAt } from './commands-at.ts';
import { formatHelp } from './format-help.ts';

export const COMMAND_CATALOG: readonly ChatCommand[] = [
  {
    name: 'new',
    arguments: '[message]',
    help: 'begin a new session, with the message if there is one',
    who: 'anyone',
    when: 'in-lane',
    handle: ({ rest }) => ({ kind: 'new-session', reason: 'new', text: rest }),
  },
  {
    name: 'reset',
    arguments: '[message]',
    help: 'the same, noted as a reset',
    who: 'anyone',
    when: 'in-lane',
    handle: ({ rest }) => ({ kind: 'new-session', reason: 'reset', text: rest }),
  },
  {
    name: 'compact',
    arguments: '[instructions]',
    help: 'make a long conversation shorter now, minding the instructions if there are some',
    who: 'anyone',
    when: 'in-lane',
    handle: ({ rest }) => ({ kind: 'compaction', text: rest }),
  },
  {
    name: 'stop',
    help: 'stop what is running in this session',
    who: 'anyone',
    when: 'at-once',
    handle: async (ports, _, place) => {
      const said = (await ports.stop(place)) ? 'Stopping.' : 'Nothing is running here.';
      const goOn = await ports.countWorkingChildren(place);
      if (goOn === 0) return said;
      return `${said} ${countOf(goOn, 'subagent')} of this session ${goOn === 1 ? 'goes' : 'go'} on. Stop ${goOn === 1 ? 'it' : 'them'} with /subagents kill all.`;
    },
  },
  {
    name: 'approve',
    arguments: '[ID allow-once | allow-always | deny]',
    help: 'answer a tool call that waits for you, or list those that do',
    who: 'answerers',
    when: 'at-once',
    handle: (ports, { args }, place) => ports.approve(args, place),
  },
  {
    name: 'subagents',
    arguments: '[list | show NAME | kill NAME]',
    help: 'list the subagents of this session, show one, or stop one with all that it started',
    who: 'anyone',
    when: 'at-once',
    handle: (ports, { rest }, place) => ports.subagents(rest, place),
  },
  {
    name: 'status',
    help: 'show the agent, the model, this session, its last run and what waits',
    who: 'anyone',
    when: 'at-once',
    handle: (ports, _, place) => ports.describeStatus(place),
  },
  {
    name: 'model',
    arguments: '[NAME | default]',
    help: 'show the model of this session, choose another one for it, or go back to the one of the agent',
    who: 'approvers',
    when: 'at-once',
    handle: (ports, { rest }, place) => ports.model(rest, place),
  },
  {
    name: 'context',
    arguments: '[list | detail | map]',
    help: 'show what the agent reads: its files, every layer with its authors, or a map',
    who: 'anyone',
    when: 'at-once',
    handle: (ports, { rest }, place) => ports.describeContext(rest, place),
  },
  {
    name: 'export-trajectory',
    help: 'write what is recorded about this session into a folder on the machine of the gateway',
    who: 'operator',
    when: 'at-once',
    handle: (ports, _, place) => ports.exportTrajectory(place),
  },
  {
    name: 'help',
    help: 'show this list',
    who: 'anyone',
    when: 'at-once',
    handle: async (ports, _, { inbound }) => formatHelp(commandsAt(inbound.surface, ports.list())),
  },
];
