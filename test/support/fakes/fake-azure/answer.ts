/**
 * Azure's additions to OpenAI's answers: the results of its content filter, in all places
 * (https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter). Where it runs asynchronously, they come
 * late (https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming).
 */
import { chunksOf, wholeAnswer } from '../fake-openai/answer.js';
import type { ChatCall, FakePlan } from '../fake-openai/plan.js';

/** The model behind every deployment. */
const MODEL = 'gpt-m-2024-08-06';

const RESULTS = {
  hate: { filtered: false, severity: 'safe' },
  self_harm: { filtered: false, severity: 'safe' },
  sexual: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
};

const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: RESULTS }];

/** The first chunk, which has nothing of the answer. */
const FIRST_CHUNK = {
  choices: [],
  created: 0,
  id: '',
  model: '',
  object: '',
  prompt_filter_results: PROMPT_RESULTS,
};

/** Late results, without anything of the answer. */
const LATE_CHUNK = {
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [
    {
      index: 0,
      finish_reason: null,
      logprobs: null,
      content_filter_results: RESULTS,
      content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
    },
  ],
};

interface WithChoices {
  readonly choices?: readonly object[];
}

/** The answer in one piece. */
export function filteredAnswer(call: ChatCall, plan: FakePlan): object {
  return { ...filtered(wholeAnswer({ ...call, model: MODEL }, plan)), prompt_filter_results: PROMPT_RESULTS };
}

/** The chunks of the answer. */
export function filteredChunks(call: ChatCall, plan: FakePlan): object[] {
  const chunks = chunksOf({ ...call, model: MODEL }, plan).map(filtered);
  const late = plan.isFilterAsynchronous === true ? [LATE_CHUNK] : [];
  return [FIRST_CHUNK, ...late, ...chunks.flatMap((chunk) => [chunk, ...late])];
}

function filtered(answer: object & WithChoices): object {
  const choices = answer.choices?.map((choice) => ({ ...choice, content_filter_results: RESULTS }));
  return { ...answer, choices };
}
