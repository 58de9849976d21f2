/** Hosts that answer with numbers and refuse to be asked for them. */
import { withQuirk } from '../../../catalog/quirks.js';
import type { CallFeature } from '../../../inference/ports/refusals.js';

const MEMBER = 'encoding_format';

/** Clients get their vectors in the form that they asked for all the same, so that nothing is told. */
export const NO_ENCODING: CallFeature = {
  kind: MEMBER,
  adaptation: 'left_out',
  isToldByCall: true,
  namesIn: () => [],
  without: (call) =>
    call.format === 'embeddings' && call.endpoint.quirks.members?.[MEMBER] !== null
      ? { ...call, endpoint: withQuirk(call.endpoint, 'members', { [MEMBER]: null }) }
      : call,
};
