// Which guarantees promise next to nothing, so that no level is called useful because of them.

import { weakEpsilon } from '../../privacy/index.js';
import type { LevelGuarantee } from './results.js';

export { weakEpsilon };

/** Whether ε is so large, or infinite, that it promises next to nothing by itself. */
export const isWeak = ({ epsilon }: Pick<LevelGuarantee, 'epsilon'>): boolean => !(epsilon <= weakEpsilon);
