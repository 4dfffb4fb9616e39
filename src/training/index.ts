export {
  type AdamOptions,
  type Arrays,
  adam,
  adamW,
  linearSchedule,
  type Optimizer,
  type OptimizerState,
  type Schedule,
  type SgdOptions,
  sgd,
} from './optimizers.js';
