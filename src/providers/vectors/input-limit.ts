/**
 * How many inputs a host takes in a call, where only its refusals tell: servers of one's own are started with any number. Sources:
 * `docs/providers/README.md#inputs-that-are-too-many`.
 */
import { withQuirk } from '../../catalog/quirks.js';
import { inputsOf } from '../../formats/embeddings/inputs.js';
import type { CallFeature, FeatureWords } from '../../inference/ports/refusals.js';

/** Say the most that is taken: the group `most`, or `below` it. */
const MOST: readonly RegExp[] = [
  /maximum allowed batch size:? (?<most>\d{1,6})/i,
  /batch size is invalid, it should not be larger than (?<most>\d{1,6})/i,
  /max(?:imum)? number of inputs is (?<most>\d{1,6})/i,
  /at most (?<most>\d{1,6}) requests can be in one batch/i,
  /total number of texts must be at most (?<most>\d{1,6})/i,
  /input list can contain at most (?<most>\d{1,6}) items/i,
  /list should have at most (?<most>\d{1,6}) items? after validation/i,
  /(?<most>\d{1,6}) instance\(s\) is allowed per prediction/i,
  /batchSize must be (?<most>\d{1,6})\b/i,
  /batchSize value of \d{1,6} but the supported range is from 1 \(inclusive\) to (?<below>\d{1,6}) \(exclusive\)/i,
];

const KIND = 'input_limit';

/** All inputs are sent all the same, so that nothing is told. */
export const INPUT_LIMIT: CallFeature = {
  kind: KIND,
  adaptation: 'changed',
  isToldByCall: true,
  namesIn: () => [],
  without(call, name) {
    const limit = Number(name.slice(KIND.length + 1));
    if (call.format !== 'embeddings' || limit < 1 || inputsOf(call.body.input).length <= limit) return call;
    const { maxInputs = Number.POSITIVE_INFINITY } = call.endpoint.quirks;
    return maxInputs <= limit ? call : { ...call, endpoint: withQuirk(call.endpoint, 'maxInputs', limit) };
  },
};

export const INPUT_LIMIT_WORDS: FeatureWords = {
  kind: KIND,
  namedIn(message) {
    for (const words of MOST) {
      const { 0: phrase, groups = {} } = words.exec(message) ?? {};
      if (phrase === undefined) continue;
      const most = groups.most === undefined ? Number(groups.below) - 1 : Number(groups.most);
      return { names: [`${KIND}:${most}`], phrase };
    }
    return undefined;
  },
};
