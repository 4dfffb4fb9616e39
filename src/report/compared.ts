// Results together with the comparison of mechanisms, where it was made: one for each attack whose leakage both reach.

import type { EqualLeakage, StudyResults } from '../calibration/index.js';

export type ComparedResults = StudyResults & { readonly equalLeakage?: readonly EqualLeakage[] };
