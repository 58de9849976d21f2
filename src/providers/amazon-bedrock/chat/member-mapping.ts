import type { JsonObject } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { type MemberMapping, TRANSLATED } from '../../common/adapted.js';

const SAME = [
  ...[
    'additionalModelRequestFields',
    'additionalModelResponseFieldPaths',
    'guardrailConfig',
    'performanceConfig',
  ],
  ...['requestMetadata', 'serviceTier'],
];

const inference = ({ inferenceConfig }: JsonObject) => members(inferenceConfig);
const model = ({ additionalModelRequestFields }: JsonObject) => members(additionalModelRequestFields);

/** What a Converse request has for each member of a chat. */
export const CONVERSE_MAPPING: MemberMapping = {
  ...TRANSLATED,
  ...Object.fromEntries(SAME.map((name) => [name, (sent: JsonObject) => sent[name]])),
  betas: (sent) => model(sent).anthropic_beta,
  cache_control: true,
  context_management: (sent) => model(sent).context_management,
  max_completion_tokens: (sent) => inference(sent).maxTokens,
  max_tokens: (sent) => inference(sent).maxTokens,
  parallel_tool_calls: true,
  service_tier: ({ serviceTier }) => serviceTier,
  stop: (sent) => inference(sent).stopSequences,
  temperature: (sent) => inference(sent).temperature,
  thinking: (sent) => model(sent).thinking,
  top_k: (sent) => model(sent).top_k ?? inference(model(sent)).topK,
  top_p: (sent) => inference(sent).topP,
  verbosity: ({ outputConfig }) => members(outputConfig).effort,
};
