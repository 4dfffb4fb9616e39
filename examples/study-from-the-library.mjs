// A small study: two noise levels, one attack, one seed; then its conclusions and a report.
//   node examples/study-from-the-library.mjs

import { calibrate, writeReport } from 'epsilens';

const study = {
  name: 'small',
  data: { limit: 400, maxTokens: 32 },
  training: { epochs: 5, batchSize: 64 },
  mechanisms: { gaussian: { noise: [0.01, 1] } },
  attacks: { span: { count: 4, maxTokens: 16 } },
  seeds: [1],
};

const results = await calibrate(study, {
  model: 'bundled:bert-mini', // or a folder in the Hugging Face layout
  data: 'bundled:mail', // or a file or folder of your own
  folder: 'out/small', // running it again computes nothing twice
  onProgress: ({ done, all }) => process.stderr.write(`\r${done} of ${all} trials`),
});
process.stderr.write('\n');

for (const { level, utility, leakage } of results.levels) {
  const noise = level.mechanism === 'none' ? 'no noise' : `noise ${level.parameter}`;
  console.log(`${noise}: accuracy ${utility.accuracy.mean.toFixed(3)}, span ${leakage.span.main.mean.toFixed(2)}`);
}
const { page } = await writeReport(results, { folder: 'out/small' });
console.log(`Report (it shows private text): ${page}`);
