// The plugins of a home, for commands that run without a gateway: which there are, and which of them a gateway would
// load.

import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { type PluginSurvey, surveyPlugins } from '../plugins/survey-plugins.ts';
import { pluginsConfigurationOf } from './settings/plugins-configuration.ts';

export function surveyHomePlugins(config: Config, environment: Environment): Promise<PluginSurvey> {
  return surveyPlugins(pluginsConfigurationOf(config, environment), { stateDir: environment.stateDir });
}
