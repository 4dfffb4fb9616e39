// Doorway to Observable Plot: charts are data ("marks" and scales) that it draws.

export {
  axisX,
  axisY,
  dot,
  gridX,
  gridY,
  line,
  link,
  type PlotOptions,
  plot,
  rect,
  ruleX,
  ruleY,
  text,
  vector,
} from '@observablehq/plot';
