/** Members of a request that the host refuses. */
import { asksForNothing } from '../common/adapted.js';
import { type Step, without } from './step.js';

export const fitMembers: Step = (call, { refusedMembers }) => {
  const refused = refusedMembers.filter((name) => Object.hasOwn(call.body, name));
  for (const name of refused) {
    const value = call.body[name];
    if (value != null && !asksForNothing(name, value)) call.onAdapted?.(name, 'left_out');
  }
  return without(call, refused);
};
