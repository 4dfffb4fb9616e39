// The grid computed with Opacus and Google's accountant.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Golden {
  subsampled_gaussian: {
    q: number;
    sigma: number;
    steps: number;
    delta: number;
    opacus_rdp_eps: number;
    opacus_best_alpha: number;
    google_pld_eps: number;
    opacus_gdp_eps: number;
  }[];
  analytic_gaussian: { epsilon: number; delta: number; sigma_l2_1: number }[];
  laplace_composition: { noise_multiplier: number; count: number; delta: number; google_pld_eps: number }[];
}

const path = join(import.meta.dirname, '..', 'golden', 'accounting.json');
export const grid = JSON.parse(readFileSync(path, 'utf8')) as Golden;
