// Situations by name, for reports: these may not import attacks.

import { type Situation, type SituationName, situations } from '../../attacks/index.js';

/** The situation of this name. */
export const situationNamed = (name: SituationName): Situation =>
  situations.find((one) => one.name === name) as Situation;

export { situations };
