import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import { once } from '../../base/memory/once.js';

const require = createRequire(import.meta.url);

/** The HTTP client, which is read with its first use: it would take a tenth of a start. */
export const undici = once((): typeof Undici => require('undici'));
