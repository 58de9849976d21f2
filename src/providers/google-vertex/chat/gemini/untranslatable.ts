import { UpstreamFailure } from '../../../../inference/ports/failure.js';

/** Fails the attempt before anything is sent, for content that Gemini does not take. */
export function untranslatable(what: string): UpstreamFailure {
  return new UpstreamFailure(`Gemini takes no ${what}`, {
    kind: 'invalid_request',
    status: 400,
    isPenalised: false,
  });
}
