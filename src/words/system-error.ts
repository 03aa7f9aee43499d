import { isRecord } from './record.ts';

/**
 * Code of an error of the operating system, such as `ENOENT`. Errors are read by shape,
 * for they may be of another realm.
 */
export function errorCode(error: unknown): string | undefined {
  return textField(error, 'code');
}

/** What an error says, without its stack. */
export function errorText(error: unknown): string {
  return textField(error, 'message') ?? String(error);
}

function textField(error: unknown, name: 'code' | 'message'): string | undefined {
  const value = isRecord(error) ? error[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
