/** What is read in place of a header's value; importing it keeps the value that is stored. */
export const SECRET = '(secret)';
