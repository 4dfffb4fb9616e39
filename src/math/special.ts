// The doorway to @stdlib: special functions in plain arithmetic, so they give the same bits on every platform
// (Math.log and Math.exp may differ in the last bit between engines).

import exp from '@stdlib/math-base-special-exp';
import ln from '@stdlib/math-base-special-ln';

export { exp, ln };
