// The doorway to @stdlib: special functions in plain arithmetic, so they give the same bits on every platform
// (Math.log and Math.exp may differ in the last bit between engines).

import erfc from '@stdlib/math-base-special-erfc';
import erfcx from '@stdlib/math-base-special-erfcx';
import exp from '@stdlib/math-base-special-exp';
import ln from '@stdlib/math-base-special-ln';

export { erfc, erfcx, exp, ln };
