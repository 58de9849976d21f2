import { configure } from '../../../vitest.config.js';
import { FOLDERS, SAME_ANYWHERE } from './differing.js';

// What `npm run test:postgres` runs.
export default configure(FOLDERS, SAME_ANYWHERE);
