/** In which form hosts refuse. */
import type { Refusal, Rule } from './rule.js';

/** OpenAI's: the first place that the words quote is `param`. */
export function openAiRefusal(words: string, { status = 400, code }: Pick<Rule, 'status' | 'code'>): Refusal {
  const quoted = /'([a-z_][\w.[\]]*)'/.exec(words)?.[1];
  const param = quoted ?? /supplied: (\w+)/.exec(words)?.[1] ?? null;
  return {
    status,
    body: { error: { message: words, type: 'invalid_request_error', param, code: code ?? null } },
  };
}

/** Of hosts that name neither member nor code. */
export function plainRefusal(words: string, { status = 400, code }: Pick<Rule, 'status' | 'code'>): Refusal {
  return {
    status,
    body: { error: { message: words, type: 'invalid_request_error', param: null, code: code ?? null } },
  };
}
