/** How many and how varied answers are. */
import { elements } from '../../formats/json.js';
import { refused, type Step, withBody } from './step.js';

export const fitSampling: Step = (call, { maxStops, maxChoices, maxTemperature }) => {
  const { stop, n, temperature } = call.body;
  if (maxStops !== null && elements(stop).length > maxStops) {
    throw refused(call, 'stop', `at most ${maxStops} sequences`);
  }
  if (maxChoices !== null && typeof n === 'number' && n > maxChoices) {
    throw refused(call, 'n', `at most ${maxChoices}`);
  }
  if (maxTemperature === null || typeof temperature !== 'number' || temperature <= maxTemperature)
    return call;
  call.onAdapted?.('temperature', 'changed');
  return withBody(call, { temperature: maxTemperature });
};
