import fc from 'fast-check';

/** The same values for every mutant, and no search for the smallest of those that fail. */
fc.configureGlobal({ seed: 1, endOnFailure: true });
