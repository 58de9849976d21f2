const MARKED = /^<!-- smoke -->\n+```sh\n([\s\S]*?)^```$/gm;
// What a reader fills in by hand, the smoke test takes from what the server printed.
const FILLED_IN = /^\s*(?:export\s+)?(?:BASE_URL|API_KEY|MANAGEMENT_KEY)=\S*\s*$/;

/**
 * The bodies of the `sh` blocks that stand right below a comment `smoke`, in their order, each with the line of that
 * comment. Lines that set BASE_URL, API_KEY or MANAGEMENT_KEY are left out: those are given.
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
