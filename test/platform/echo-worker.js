// A worker for the test of the process pool; plain JavaScript, because child processes run no TypeScript.

import { ArgumentError, FileError, option, say } from '../../dist/checks/index.js';
import { serveTasks } from '../../dist/platform/index.js';

serveTasks(import.meta.url, () => {
  let served = 0;
  return async (task) => {
    if (task === 'die') process.exit(3);
    if (task === 'argument') throw new ArgumentError(say`invalid ${option('task')}: expected another`);
    if (task === 'file') throw new FileError(say`a.csv: set ${option('textColumn')}`);
    if (task === 'fail') throw new Error('it failed');
    served += 1;
    return { task, served, threads: process.env.EPSILENS_THREADS };
  };
});
