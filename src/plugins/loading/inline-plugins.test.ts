import { InlinePlugins } from './inline-plugins.ts';
import { describePluginLoader } from './plugin-loader-suite.ts';

describePluginLoader('in the gateway itself', (settings) => new InlinePlugins(settings));
