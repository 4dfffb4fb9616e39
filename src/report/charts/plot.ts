// Doorway to Observable Plot: charts are data ("marks" and scales) that it draws.

export {
  axisX,
  axisY,
  dot,
  gridY,
  line,
  link,
  type PlotOptions,
  plot,
  rect,
  ruleX,
  ruleY,
  text,
} from '@observablehq/plot';
