// Loaded before a gateway: makes it the next version, whose migration extends every table.
import { register } from 'node:module';

register('./next-version/hooks.mjs', import.meta.url);
