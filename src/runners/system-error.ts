import { isRecord } from '../words/record.ts';

const textField = (error: unknown, name: 'code' | 'message'): string | undefined => {
  const value = isRecord(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};

/**
 * Code of an error of the operating system, such as `ENOENT`. Errors are read by shape, for they may be of another
 * realm.
 */
export const errorCode = (error: unknown): string | undefined => textField(error, 'code');

/** What an error says, without its stack. */
export const errorText = (error: unknown): string => textField(error, 'message') ?? String(error);
