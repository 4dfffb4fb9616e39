// Downloads files of a model in a process of its own: node pull.js hf:owner/name FILE… Uses the built package, as a user's program would.

import { openHubRepository } from '../../../dist/platform/hub/hub-repository.js';

const [source, ...paths] = process.argv.slice(2);
const repository = await openHubRepository(source, 'model');
await repository.get(paths);
