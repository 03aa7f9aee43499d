/** The words of a command line. */
export const COMMAND = {
  type: 'array',
  maxItems: 1000,
  items: { type: 'string', maxLength: 100_000 },
  title: 'Command',
  description: 'Program and arguments; no shell reads them',
};

/** Additional variables of the environment. */
export const ENVIRONMENT = {
  type: 'object',
  maxProperties: 200,
  additionalProperties: { type: 'string', maxLength: 10_000 },
  title: 'Environment',
};
