import { expect } from '@jest/globals';
import { readPng } from './picture.ts';

/** The first colour of matplotlib's lines. */
const LINE = '#1f77b4';

/** Uses each package that astronomers want. */
export const USES = [
  'import numpy, scipy.integrate',
  'print(round(float(scipy.integrate.quad(numpy.sin, 0, numpy.pi)[0]), 6))',
  'import pandas',
  'print(pandas.DataFrame({"mag": [14.5, 15.5]}).mag.mean())',
  'from astropy.coordinates import SkyCoord',
  'print(SkyCoord("00h42m44s +41d16m09s").to_string("decimal"))',
  'import pyvo',
  'print(pyvo.dal.SIAService("https://example.org/sia").baseurl)',
  'import matplotlib',
  'matplotlib.use("Agg")',
  'import matplotlib.pyplot as plt',
  'plt.figure(figsize=(3, 2), dpi=100)',
  'plt.plot([1, 2], [3, 4])',
  'plt.savefig("plot.png")',
];
/** What that prints. */
export const PRINTED = '2.0\n15.0\n10.6833 41.2692\nhttps://example.org/sia\n';

/** A notebook with these lines in one cell. */
export function notebookOf(lines: readonly string[]): object {
  const cells = [{ cell_type: 'code', metadata: {}, source: lines.join('\n') }];
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

/** Expects the plot of {@link USES}: its line and its black axes on white. */
export function expectPlot(file: Buffer): void {
  const { width, height, colours } = readPng(file);
  expect([width, height]).toEqual([300, 200]);
  // A line across the axes, two points wide.
  expect(colours.get(LINE)).toBeGreaterThan(150);
  expect(colours.get('#000000')).toBeGreaterThan(200);
  expect(colours.get('#ffffff')).toBeGreaterThan(width * height * 0.8);
}
