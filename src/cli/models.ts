// `epsilens models`: lists the models at hand and what they can do, and downloads more from the Hugging Face Hub.

import { type ListedModel, listModels, pullModel } from '../api/index.js';
import type { Command } from './command.js';
import { showDownload } from './downloads.js';
import { addExamples } from './examples.js';
import { progressLine } from './progress.js';
import { wrap } from './wrap.js';

interface ModelsFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addModels(program: Command): void {
  const command = program
    .command('models')
    .description('list the models at hand and what they can do, or download more');
  const list = command
    .command('list', { isDefault: true })
    .description('list bundled and downloaded models: sizes, heads, attacks (the default)')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line (there is none)')
    .action(async ({ json }: ModelsFlags) => {
      const models = await listModels();
      process.stdout.write(json ? `${JSON.stringify(models, null, 2)}\n` : describeModels(models));
    });
  addExamples(list, 'epsilens models list', 'epsilens models list --json');
  const pull = command
    .command('pull')
    .description('download the newest revision of a model of the Hugging Face Hub, which is used from then on')
    .argument('<model>', 'hf:owner/name, or hf:owner/name@revision for a branch, tag or commit')
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'no progress line')
    .action(async (source: string, { json, quiet = false }: ModelsFlags) => {
      const progress = progressLine(quiet);
      let model: ListedModel;
      try {
        progress.show(`asking for ${source} …`);
        model = await pullModel(source, { onProgress: showDownload(progress) });
      } finally {
        progress.end();
      }
      process.stdout.write(json ? `${JSON.stringify(model, null, 2)}\n` : describeModels([model]));
    });
  addExamples(
    pull,
    'epsilens models pull hf:google-bert/bert-base-uncased',
    'epsilens models pull hf:openai-community/gpt2@main',
  );
  addExamples(command, 'epsilens models', 'epsilens models pull hf:google-bert/bert-base-uncased');
}

/** One entry per model: its name at the margin, and below it what it is, what it can do and where it lies. */
export const describeModels = (models: readonly ListedModel[]): string =>
  `${models.map((model) => [model.name, ...linesOf(model).flatMap(indented)].join('\n')).join('\n\n')}\n`;

const indented = (text: string): string[] =>
  wrap(text, 76).map((line, place) => `${place === 0 ? '  ' : '    '}${line}`);

function linesOf({ folder, bytes, commit, problem, ...model }: ListedModel): string[] {
  const place = `${commit === undefined ? '' : `revision ${commit}, `}${megabytes(bytes)} in ${folder}`;
  if (problem !== undefined) return [`cannot be used: ${problem}`, place];
  const { architecture, parameters = 0, positions, languageHead, head, classes, gradientAttacks = [] } = model;
  const can = [
    classes
      ? `classify ${head === 'tokens' ? 'words ' : ''}(${classes.slice(0, 6).join(', ')}${classes.length > 6 ? ', …' : ''})`
      : 'be fine-tuned to classify',
    ...(languageHead ? [languageHead === 'masked' ? 'predict hidden tokens' : 'continue text'] : []),
  ];
  return [
    `${architecture}, ${(parameters / 1e6).toFixed(1)} million parameters, texts of up to ${positions} tokens`,
    `can ${can.join(', ')}`,
    `attacks on its gradients: ${gradientAttacks.join(', ') || 'none'}`,
    place,
  ];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
