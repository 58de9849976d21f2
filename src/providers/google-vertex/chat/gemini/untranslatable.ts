import { UpstreamFailure } from '../../../../inference/ports/failure.js';

/** Fails the attempt for content that Gemini does not take, before anything is sent. */
export function untranslatable(what: string): UpstreamFailure {
  return new UpstreamFailure(`Gemini takes no ${what}`, {
    kind: 'invalid_request',
    status: 400,
    isPenalised: false,
  });
}
