// The flags of `epsilens attack NAME` for attacks that read text from shared gradients, and which of them apply together.

import { usualCount } from '../api/index.js';
import type { GradientAttack } from '../attacks/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';
import { addDataFlags, type DataFlags, dataFlagNames, dataForms } from './data-options.js';
import type { FlagRule } from './flag-rules.js';
import { flagOf } from './option-flags.js';
import type { ProtectionFlags } from './protection-flags.js';

export interface GradientFlags extends DataFlags, ProtectionFlags {
  readonly model: string;
  readonly text?: readonly string[];
  readonly data?: string;
  readonly split: string;
  readonly count?: number;
  readonly maxTokens: number;
  readonly seed: number;
  readonly batchSize?: number;
  readonly loss?: string;
  readonly shared?: string;
  readonly genie?: number;
  readonly gradients?: string;
  readonly length?: number;
  readonly noiseDeviation?: number;
  /** File to which the server's parameters are saved. */
  readonly parameters?: string;
  /** `--no-similarity` leaves out the sentence encoder. */
  readonly similarity: boolean;
  readonly showGuesses?: boolean;
  readonly jobs: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addSentenceFlags(command: Command, { batchSize, shares, confidence }: GradientAttack): void {
  command
    .option(
      '--model <model>',
      'a folder in the Hugging Face layout, bundled:bert-mini, bundled:gpt2-mini, hf:owner/name, or relu (3 layers, randomly initialised)',
      'bundled:bert-mini',
    )
    .option('--text <text>', 'a sentence of the client; may be given several times', (text, before: string[] = []) => [
      ...before,
      text,
    ])
    .option('--data <data>', `draw the client’s sentences from ${dataForms}`)
    .option('--split <name>', 'with --data: the split to draw from: train, validation or test', 'train')
    .option(
      '--count <number>',
      `with --data: number of sentences to draw (default: ${usualCount(batchSize)})`,
      wholeNumber(1),
    )
    .option('--max-tokens <count>', 'sentences are cut to this many tokens', wholeNumber(3), 64)
    .option(
      '--batch-size <count>',
      `sentences whose gradients are shared as one sum (default: ${batchSize})`,
      wholeNumber(1),
    )
    .option(
      '--loss <name>',
      'the loss that the client trains on: class; next (GPT-2, relu); all or masked (BERT: every token, or 15 % masked)',
    )
    .option(
      '--shared <parameters>',
      `parameters whose gradients are shared: read (those that the attack reads), all, or a selection (default: ${shares})`,
    )
    .option('--seed <number>', 'seed of the sample, the noise, the server and a new head', wholeNumber(0), 1);
  if (confidence === 'probability') {
    command.option(
      '--genie <places>',
      'places per sentence at which a genie that knows all other tokens must tell the true one from 15 others; 0: none (default: 0)',
      wholeNumber(0),
    );
  }
  addDataFlags(command);
}

export function addGradientFileFlags(command: Command): void {
  command
    .option(
      '--gradients <file>',
      'attack gradients from a safetensors file instead (docs/attacks.md says how to export them)',
    )
    .option(
      '--length <tokens>',
      'with --gradients: tokens of the sentence, special ones included, if known',
      wholeNumber(1),
    )
    .option(
      '--noise-deviation <number>',
      'with --gradients: standard deviation of the noise on each number, if known',
      positiveNumber,
    );
}

export function flagRules({ options }: GradientAttack): FlagRule[] {
  const ofFile = ['--length', '--noise-deviation'];
  const attacker = Object.keys(options).map(flagOf);
  return [
    // The maker of the file chose the sentences, the loss and the noise: no flag of the client applies.
    { given: '--gradients', accepts: ['--model', ...ofFile, ...attacker, '--show-guesses', '--json', '--quiet'] },
    { flags: ofFile, with: ['--gradients'] },
    { flags: ['--split', '--count', ...dataFlagNames], with: ['--data'] },
  ];
}
