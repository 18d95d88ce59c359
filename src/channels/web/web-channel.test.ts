import { describeChannel } from '../channel-suite.ts';
import { socketChannelRig } from '../socket-rig.ts';
import { WebChannel } from './web-channel.ts';

describeChannel('web', () => socketChannelRig((ports) => new WebChannel(ports)));
