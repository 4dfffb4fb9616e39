// Your own model and your own data: a folder in the Hugging Face layout, and a CSV file with a column of texts and one of labels.
//   node examples/own-model-and-csv.mjs MODEL_FOLDER DATA.csv [TEXT_COLUMN] [LABEL_COLUMN]

import { ArgumentError, FileError, fineTune, loadDataSet } from 'epsilens';

const [model, file, textColumn = 'text', labelColumn = 'label'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node own-model-and-csv.mjs MODEL_FOLDER DATA.csv [TEXT_COLUMN] [LABEL_COLUMN]');
  process.exit(2);
}

try {
  const data = await loadDataSet(file, { textColumn, labelColumn, skipEmpty: true });
  console.log(`${data.splits.train.length} rows, classes ${data.classes.join(', ')}`);
  const run = await fineTune({
    model,
    data,
    privacy: { epsilon: 8, clipNorm: 0.5 },
    trainable: 'head', // the classifier alone; 'all' trains everything
    epochs: 3,
    folder: 'runs/own', // holds ledger and checkpoint: { resume: true } resumes an interrupted run
  });
  console.log(run.privacy.statement[0]);
} catch (error) {
  // An error in an argument or a file is one sentence.
  if (!(error instanceof ArgumentError || error instanceof FileError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
