import { describeChannel } from '../channel-suite.ts';
import { socketChannelRig } from '../socket-rig.ts';
import { CliChannel } from './cli-channel.ts';

describeChannel('cli', () => socketChannelRig((ports) => new CliChannel(ports)));
