/** The most answers to one request that OpenAI's API gives, and more than any other does. */
export const MAX_CHOICES = 128;
