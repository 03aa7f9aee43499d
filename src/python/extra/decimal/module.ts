import { moduleOf } from '../../objects/classes/module.ts';
import { decimalException, signals } from './context.ts';
import { contextFunctions } from './contexts.ts';
import { decimalClass } from './decimal.ts';
import './methods.ts';
import './order.ts';
import { ROUNDINGS } from './number.ts';

/**
 * The module `decimal`: exact conversions; the context of the evaluation rounds the results of
 * arithmetic.
 */
export const decimal = moduleOf('decimal', {
  Decimal: decimalClass,
  ...contextFunctions,
  DecimalException: decimalException,
  ...signals,
  ...Object.fromEntries(ROUNDINGS.map((name) => [name, name])),
  MAX_PREC: 999_999_999_999_999_999n,
  MAX_EMAX: 999_999_999_999_999_999n,
  MIN_EMIN: -999_999_999_999_999_999n,
});
