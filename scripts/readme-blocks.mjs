const MARKED = /^<!-- smoke -->\n+```sh\n([\s\S]*?)^```$/gm;
// What a reader fills in by hand, the smoke test takes from the first start.
const FILLED_IN = /^\s*(?:export\s+)?(?:BASE_URL|API_KEY|MANAGEMENT_KEY)=\S*\s*$/;

/**
 * The `sh` blocks right below a comment `smoke`, in their order, each with the line of that comment. Lines that set
 * BASE_URL, API_KEY or MANAGEMENT_KEY are left out: the caller provides these.
 */
export function smokeBlocks(markdown) {
  return [...markdown.replaceAll('\r\n', '\n').matchAll(MARKED)].map((match) => ({
    line: match.input.slice(0, match.index).split('\n').length,
    commands: match[1]
      .split('\n')
      .filter((line) => !FILLED_IN.test(line))
      .join('\n'),
  }));
}
