import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import { once } from '../../base/memory/once.js';

const require = createRequire(import.meta.url);

/** The HTTP client. It is loaded when it is first used, since it would take a tenth of the start. */
export const undici = once((): typeof Undici => require('undici'));
