/** The root of the gateway, which is where its page is; ends with a slash. */
export const GATEWAY = new URL('.', document.baseURI);
