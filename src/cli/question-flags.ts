// The flags by which a reader asks a study something: what an ε means here, and which noise keeps leakage below a limit.

import {
  checkQuestion,
  type LeakageLimit,
  limitedMeasures,
  type Question,
  usualQuestion,
} from '../calibration/index.js';
import { ArgumentError } from '../checks/index.js';
import { type Command, positiveNumber } from './command.js';

export interface QuestionFlags {
  readonly epsilon?: number;
  readonly leakageAtMost?: string;
}

const names = Object.keys(limitedMeasures);

export const addQuestionFlags = (command: Command): Command =>
  command
    .option(
      '--epsilon <number>',
      `say what each attacker gets where the release that it sees has this epsilon (default: ${usualQuestion.epsilon})`,
      positiveNumber,
    )
    .option(
      '--leakage-at-most <limits>',
      'find the least noise that keeps leakage below a limit: text=0.2 (share of words in order; a bare number means this), auc=0.6, or tpr=0.05 (true positives at 1 % false positives); several separated by commas',
    );

/** The question of these flags; the usual one if there are none. */
export function questionOf({ epsilon, leakageAtMost }: QuestionFlags): Question {
  const limits = leakageAtMost?.split(',').map((text) => limitOf(text.trim()));
  const question = {
    ...usualQuestion,
    ...(epsilon !== undefined && { epsilon }),
    ...(limits && { leakageAtMost: limits }),
  };
  checkQuestion(question);
  return question;
}

function limitOf(text: string): LeakageLimit {
  const [name, value] = text.includes('=') ? (text.split('=') as [string, string]) : ['text', text];
  const most = Number(value);
  if (!names.includes(name) || value === '' || !Number.isFinite(most)) {
    throw new ArgumentError(
      `invalid --leakage-at-most: expected a limit such as text=0.2, auc=0.6 or tpr=0.05, got ${text}`,
    );
  }
  return { measure: name as LeakageLimit['measure'], most };
}
