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

/** How the machines of a task are one job. */
export const PARALLEL = {
  enum: ['mpi'],
  title: 'Parallel',
  description: 'mpi: the command starts once, and finds all machines of the ask',
};

/** What a task in Python needs besides its code. */
export const NEEDS = {
  requirements: {
    title: 'Requirements',
    description: 'Packages (PEP 508), or the text or URL of a requirements.txt',
    anyOf: [
      { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 500 } },
      { type: 'string', maxLength: 100_000 },
    ],
  },
  environment: {
    type: 'string',
    maxLength: 64,
    title: 'Environment',
    description: 'Only in this environment of the site',
  },
  'check-imports': {
    type: 'boolean',
    default: true,
    title: 'Check imports',
    description: 'false: what it imports is no need',
  },
};
