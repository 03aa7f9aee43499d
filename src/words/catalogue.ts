/**
 * Every code that the service ever answers with, in one place. Codes are stable: clients may act on them. A test holds
 * this table against docs/errors.md.
 */

/** Reasons for a NO, answered with HTTP 200. */
export const REFUSALS = {
  'unknown-key': 'The key is not part of the vocabulary, so the requirement cannot be met (R2).',
  'unknown-task-type': 'No destination of this site executes this type of task.',
  'task-spec-unknown-key': 'The key is not part of this task type.',
  'task-spec-invalid': 'A value in the task specification cannot be used.',
  'notebook-invalid': 'The inline notebook is not a notebook that can be executed.',
  'url-invalid': 'The URL cannot be read.',
  'url-forbidden': 'The worker does not fetch from this place.',
  'amount-unreadable': 'The amount cannot be read.',
  'amount-not-positive': 'An amount must be above zero.',
  'amount-too-large': 'The amount is larger than any destination could have.',
  'minimum-above-maximum': 'The minimum is above the maximum.',
  'several-compute-items': 'One compute item per task is understood.',
  'unknown-compute-type': 'This type of compute resource is not provided.',
  'unknown-storage-type': 'This type of storage is not provided.',
  'duplicate-name': 'Two items have the same name.',
  'storage-name-invalid': 'A storage name has up to 63 letters, digits, dots, dashes and underscores.',
  'unknown-volume': 'The volume names no storage item.',
  'volume-mode-unknown': 'A volume is mounted r or rw.',
  'volume-path-invalid': 'The volume cannot be mounted at this path.',
  'task-type-not-here': 'The destination does not execute this type of task.',
  'gpu-type-not-here': 'The destination does not have this type of GPU.',
  'volume-path-not-here': 'The destination cannot mount a volume at this path.',
  'above-max-accepted': 'The destination accepts no more than its limit.',
  'below-min-accepted': 'The destination accepts no less than its limit.',
  'required-tag-missing': 'A required scheduling tag is missing on the other side.',
  'tag-rejected': 'A scheduling tag is rejected by the other side.',
  'not-in-site-file': 'The site file gives the destination no capacity.',
  'not-ranked': 'The rank function of the rules left the destination out.',
  'rule-failed': 'A rule of the site refuses the task.',
  'try-later': 'A rule of the site puts the task off.',
  'rule-error': 'A rule of the site could not be evaluated.',
  'rule-timeout': 'The rules took longer than their time limit.',
  'rule-memory': 'The rules used more than their memory limit.',
  'sandbox-unavailable': 'The rules could not be evaluated.',
  'below-requested-minimum': 'The rules give the task less than it asks for (R1).',
  'above-requested-maximum': 'The rules give the task more than it allows.',
  'above-capacity': 'The destination has less than that in all.',
  'below-least-memory': 'The engine of the destination needs more memory than that for itself.',
  'no-capacity-now': 'The destination has not that much free at the requested time.',
  'no-destination': 'The site has no destination for the task.',
} as const;

/** Problem documents (RFC 9457) and UWS error bodies; the number is the HTTP status. */
export const PROBLEMS = {
  'body-unreadable': [400, 'The body cannot be parsed'],
  'body-not-an-ask': [400, 'The body does not have the shape of the contract'],
  'parameter-invalid': [400, 'A parameter cannot be used'],
  'credential-invalid': [401, 'The credential is not valid'],
  'credential-missing': [401, 'A credential is needed'],
  'not-your-job': [403, 'The job belongs to somebody else'],
  'job-state-conflict': [403, 'The job cannot do that in its phase'],
  'offer-not-yours': [403, 'There is no such offer of yours'],
  'offer-not-accepted': [403, 'The offer is not accepted'],
  'offer-unknown': [404, 'There is no such offer'],
  'job-unknown': [404, 'There is no such job'],
  'result-unknown': [404, 'There is no such result'],
  'route-unknown': [404, 'There is nothing here'],
  'method-not-allowed': [405, 'The method is not allowed here'],
  'offer-state-conflict': [409, 'The offer cannot go to that state'],
  'offer-sibling-accepted': [409, 'Another offer of the same answer was accepted'],
  'offer-expired': [410, 'The offer has expired'],
  'body-too-large': [413, 'The body is too large'],
  'media-type-unsupported': [415, 'The content type is not supported'],
  'internal-error': [500, 'Something went wrong here'],
  'not-ready': [503, 'The service is not ready'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

/** Codes of a job's error summary (UWS § 2.1.10). */
export const JOB_ERRORS = {
  'task-failed': 'The task ended with a failure of its own.',
  'notebook-cell-failed': 'A cell of the notebook raised an exception.',
  'notebook-invalid': 'What was fetched is not a notebook that can be executed.',
  'url-forbidden': 'The worker does not fetch from this place.',
  'fetch-failed': 'What the task names could not be fetched.',
  'fetch-too-large': 'What the task names is too large.',
  'fetch-timeout': 'What the task names did not arrive in time.',
  'run-lost': 'The engine or its machine stopped while the job ran.',
  'runner-failed': 'The engine could not start the job.',
  'wall-time-exceeded': 'The run was longer than the offered maximum duration.',
  'cpu-time-exceeded': 'The run used more CPU time than offered.',
  'memory-exceeded': 'The run used more memory than offered.',
  'output-exceeded': 'The run wrote more than the offered scratch space.',
  'aborted': 'The job was aborted by its owner.',
  'destroyed': 'The job was destroyed.',
  'start-window-missed': 'The client did not start the job within its start window.',
  'queue-limit-exceeded': 'No executor could begin the job within the queue limit.',
} as const;

export type RefusalCode = keyof typeof REFUSALS;
export type ProblemCode = keyof typeof PROBLEMS;
export type JobErrorCode = keyof typeof JOB_ERRORS;
