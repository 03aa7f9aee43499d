/**
 * A tool's resource requirement. The first six have the names of Galaxy's wrappers: RAM is MiB, as
 * in Galaxy and in TPV since 3.3.0. `mem_min` and `mem_max` are GiB, the unit of `mem` in rule
 * files.
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

/** Data that survives JSON: job parameters, extra preferences and results. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The task as TPV sees it; the keys under `tools:` are matched against `id`. */
export type ToolDescription = {
  readonly id: string;
  readonly version?: string | null;
  /** Gives the scheduling tag `tool_type_<type>`; `default` when absent. */
  readonly type?: string;
  /**
   * Set for a tool that a user defines. It is looked up as `<type>-<uuid>`, so that rules of other
   * tools do not apply.
   */
  readonly uuid?: string | null;
  /**
   * These win over the default tool's resources; any tool that matches by its key wins over these.
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

/** One input dataset. Inputs with the same `dataset` are one, and count once in `input_size`. */
export type InputDescription = {
  readonly name: string;
  /** Bytes; null when unknown. */
  readonly sizeBytes: number | null;
  readonly extension?: string;
  readonly dataset?: string | number;
  readonly objectStoreId?: string | null;
};

/** Equal jobs that are queued or running elsewhere, for rules that limit how many run at once. */
export type OtherJob = {
  /** Their number; 1 when absent. */
  readonly count?: number;
  /** Totals of all of them; memory is GB. */
  readonly cores?: number;
  readonly mem?: number;
  readonly toolId: string;
  readonly state: 'queued' | 'running';
  readonly destination?: string | null;
  readonly userId?: string | number | null;
  readonly userEmail?: string | null;
};

/** What an hour costs in one unit. */
export type CostRates = {
  /** URI of what is counted */
  readonly type: string;
  /** of a core, of a GB of memory, of a GPU */
  readonly core: number;
  readonly mem: number;
  readonly gpu: number;
  /** a sum for every job */
  readonly job: number;
};

/** What destinations cost, for the helper `cost`. */
export type JobCosts = {
  /** amounts of a job that has none of its own */
  readonly defaults: { readonly cores: number; readonly mem: number };
  /** the first type of the first rates is the usual one */
  readonly rates: readonly {
    readonly destinations: readonly string[];
    readonly rates: readonly CostRates[];
  }[];
};

/** The description of a job for the engine: plain data, JSON. */
export type JobDescription = {
  readonly tool: ToolDescription;
  readonly user: UserDescription | null;
  readonly roles: readonly RoleDescription[];
  readonly inputs: readonly InputDescription[];
  readonly id?: string | number | null;
  /**
   * `job.state` for rules, in Galaxy's words: `new` when absent, and `resubmitted` for a job sent
   * on after a failure.
   */
  readonly state?: string;
  /** Parameters of the job, which rules read with `job.get_param_values(app)`. */
  readonly parameters?: { readonly [key: string]: Json };
  readonly historyTags?: readonly { readonly name: string; readonly value: string | null }[];
  readonly destinationParameters?: { readonly [key: string]: Json };
  readonly adminUsers?: readonly string[];
  readonly otherJobs?: readonly OtherJob[];
  readonly costs?: JobCosts;
};
