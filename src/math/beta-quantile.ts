// The doorway to @stdlib's quantiles of the beta distribution, in a file of its own: it is ten times the size of all other special
// functions together, and bundlers leave it out where no interval is computed.

import betaincinv from '@stdlib/math-base-special-betaincinv';

export { betaincinv };
