// Loaded before a gateway: makes it the version after this one, whose migration adds to every table.
import { register } from 'node:module';

register('./next-version/hooks.mjs', import.meta.url);
