export { type EncoderSizes, encoderBlock, encoderFlops, type ParameterOf } from './encoder.js';
