import { reply } from '../../src/testkit/model-server.ts';
import { cell, hasAll, type PackageCheck } from '../package-check.ts';

export const weatherclaw: PackageCheck = {
  spec: 'weatherclaw@0.1.0',
  id: 'weather',
  exercises: 'helpers of plugin-sdk/core',
  check: async (rig) => {
    const { tools, where } = await rig.status();
    await rig.ask('Hello.', [reply('Hello.')]);
    const asked = await rig.call('weather_current', { latitude: 1 });
    return [
      hasAll('two tools', ['weather_current', 'weather_forecast'], tools),
      hasAll('offered to the model', ['weather_current', 'weather_forecast'], rig.offeredTools),
      cell('its own check of parameters speaks', asked.includes('Provide both latitude and longitude'), asked),
      cell('in the worker', where === 'worker', where ?? 'nowhere'),
    ];
  },
};
