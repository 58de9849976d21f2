// Holds many streams open at once: node streams.mjs SETTINGS. Prints how long pieces took from when the provider wrote
// them, in ms, and how many streams did not come whole.
import { request } from 'node:http';

const { url, headers, body, streams, pieces, spreadMs } = JSON.parse(process.argv[2]);
const delays = [];
let errors = 0;

await Promise.all(Array.from({ length: streams }, (_, index) => open((index * spreadMs) / streams)));
delays.sort((a, b) => a - b);
const percentile = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))];
process.stdout.write(
  JSON.stringify({ p50: percentile(0.5), p99: percentile(0.99), pieces: delays.length, errors }),
);
process.exit();

async function open(delayMs) {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  let seen = 0;
  const isWhole = await new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      let last = '';
      answer.setEncoding('utf8').on('data', (text) => {
        const now = (performance.timeOrigin + performance.now()) * 1000;
        for (const [, micros] of text.matchAll(/"content":"(\d{16}) "/g)) {
          delays.push((now - Number(micros)) / 1000);
          seen++;
        }
        last = (last + text).slice(-32);
      });
      answer.on('end', () => resolve(answer.statusCode === 200 && last.includes('[DONE]')));
      answer.on('error', () => resolve(false));
    });
    sent.on('error', () => resolve(false));
    sent.end(body);
  });
  if (!isWhole || seen !== pieces) errors++;
}
