// Everything that is wrong with a study in one message, so that a file is corrected once and not error by error.

import { ArgumentError } from '../../checks/index.js';

/** One thing that is wrong, in one sentence, and the line of the file that has it. */
export interface StudyFault {
  readonly sentence: string;
  readonly line?: number;
}

/** One fault is one sentence; several have a line each, in the order of the file. */
export function studyError(origin: string, faults: readonly StudyFault[]): ArgumentError {
  const said = faults
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ sentence, line }) => (line === undefined ? sentence : `line ${line}: ${sentence}`));
  const sentences = [...new Set(said)];
  return new ArgumentError(
    sentences.length === 1
      ? `${origin}: ${sentences[0]}`
      : `${origin}: ${sentences.length} errors\n${sentences.map((one) => `  ${one}`).join('\n')}`,
  );
}
