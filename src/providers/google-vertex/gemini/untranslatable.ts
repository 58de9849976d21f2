import { UpstreamFailure } from '../../../inference/attempts/failure.js';

/** A request that says what Gemini has no words for; nothing is sent. */
export function untranslatable(what: string): UpstreamFailure {
  return new UpstreamFailure(`Gemini takes no ${what}`, {
    kind: 'invalid_request',
    status: 400,
    isPenalised: false,
  });
}
