/** More answers than any provider gives to one request: https://platform.openai.com/docs/api-reference/chat/create (`n`). */
export const MAX_CHOICES = 128;
