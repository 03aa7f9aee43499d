/**
 * A tool's resource requirement. The first six are those of wrappers, by Galaxy's names: RAM
 * is MiB, as Galaxy has it and TPV reads it since 3.3.0. `mem_min` and `mem_max` are GiB,
 * the unit of `mem` in rule files.
 */
export type ResourceRequirementType =
  | 'cores_min'
  | 'cores_max'
  | 'ram_min'
  | 'ram_max'
  | 'cuda_device_count_min'
  | 'cuda_device_count_max'
  | 'mem_min'
  | 'mem_max';

export type ResourceRequirement = {
  readonly type: ResourceRequirementType;
  readonly value: number;
};

/** Data that survives JSON: what job parameters, extra preferences and results are made of. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The task as TPV sees it: `id` is what the keys under `tools:` are matched against. */
export type ToolDescription = {
  readonly id: string;
  readonly version?: string | null;
  /** Becomes the scheduling tag `tool_type_<type>`; `default` when absent. */
  readonly type?: string;
  /**
   * Set for a tool that a user defined: it is then looked up as `<type>-<uuid>`, out of
   * reach of the other tools' rules.
   */
  readonly uuid?: string | null;
  /**
   * Override the default tool's resources, and are overridden by any tool that matches by its key.
   */
  readonly requirements: readonly ResourceRequirement[];
  readonly requiresGalaxyPythonEnvironment?: boolean;
  readonly isDatatypeConverter?: boolean;
};

export type UserDescription = {
  readonly email: string;
  readonly username?: string | null;
  readonly id?: string | number | null;
  readonly extraPreferences?: { readonly [key: string]: Json };
};

export type RoleDescription = { readonly name: string; readonly deleted?: boolean };

/**
 * One input dataset. Inputs that name the same `dataset` are one dataset
 * and count once in `input_size`.
 */
export type InputDescription = {
  readonly name: string;
  /** Bytes; null when not known. */
  readonly sizeBytes: number | null;
  readonly extension?: string;
  readonly dataset?: string | number;
  readonly objectStoreId?: string | null;
};

/**
 * Jobs that are queued or running elsewhere and alike; for rules that limit how many run at once.
 */
export type OtherJob = {
  /** How many; 1 when absent. */
  readonly count?: number;
  /** Of all of them together; memory is GB. */
  readonly cores?: number;
  readonly mem?: number;
  readonly toolId: string;
  readonly state: 'queued' | 'running';
  readonly destination?: string | null;
  readonly userId?: string | number | null;
  readonly userEmail?: string | null;
};

/** What the engine is told of a job: plain data, JSON. */
export type JobDescription = {
  readonly tool: ToolDescription;
  readonly user: UserDescription | null;
  readonly roles: readonly RoleDescription[];
  readonly inputs: readonly InputDescription[];
  readonly id?: string | number | null;
  /**
   * `job.state` to rules, in Galaxy's words; `new` when absent, and `resubmitted` for a job
   * that is sent on after it failed.
   */
  readonly state?: string;
  /** Parameters of the job, as `job.get_param_values(app)` gives them to rules. */
  readonly parameters?: { readonly [key: string]: Json };
  readonly historyTags?: readonly { readonly name: string; readonly value: string | null }[];
  readonly destinationParameters?: { readonly [key: string]: Json };
  readonly adminUsers?: readonly string[];
  readonly otherJobs?: readonly OtherJob[];
};
