#!/usr/bin/env node
import { serve } from './cli/serve.js';
import { readConfig } from './config.js';

await serve(readConfig(), process.stdout);
