import { ASKS_BASE, type AskedMode, askedBy } from '../../formats/modes/request-modes.js';
import {
  type GivenMode,
  NOTHING_GIVEN,
  type ServedMode,
  servedMode,
} from '../../formats/modes/served-mode.js';
import type { Attempt } from '../../routing/types.js';
import type { UpstreamCall } from '../ports/adapter.js';

/** In which mode one attempt asks to be served, and what the headers of its answer say of that. */
export class AttemptMode {
  #asked: AskedMode = ASKS_BASE;
  #format: UpstreamCall['format'] = 'chat';
  #given: GivenMode = NOTHING_GIVEN;

  /** Call it with each call that is made, as it is made. */
  sent({ format, body, endpoint, provider }: UpstreamCall): void {
    this.#given = NOTHING_GIVEN;
    this.#format = format;
    this.#asked = askedBy(format, body, endpoint, provider);
  }

  give(given: GivenMode): void {
    this.#given = given;
  }

  /** As the answer says, by its headers before its body; else as it was sent. */
  servedBy(inBody: GivenMode, { endpoint, provider }: Attempt): ServedMode {
    const given = this.#given === NOTHING_GIVEN ? inBody : { ...inBody, ...this.#given };
    return servedMode(given, this.#asked, { endpoint, provider, format: this.#format });
  }
}
