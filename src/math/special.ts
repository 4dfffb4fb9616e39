// The doorway to @stdlib: special functions in plain arithmetic, so they give the same bits on every platform
// (Math.log and Math.exp may differ in the last bit between engines).

import betaincinv from '@stdlib/math-base-special-betaincinv';
import erf from '@stdlib/math-base-special-erf';
import erfc from '@stdlib/math-base-special-erfc';
import erfcx from '@stdlib/math-base-special-erfcx';
import exp from '@stdlib/math-base-special-exp';
import logGamma from '@stdlib/math-base-special-gammaln';
import ln from '@stdlib/math-base-special-ln';

export { betaincinv, erf, erfc, erfcx, exp, ln, logGamma };
