/** Labels of a log line or a sample. */
export type Labels = Readonly<Record<string, string | number | boolean | undefined>>

/** A log of one scope. The text is one line: what comes from outside is escaped when it is printed. */
export interface ScopedLog {
  debug(msg: string, labels?: Labels): void
  info(msg: string, labels?: Labels): void
  warn(msg: string, labels?: Labels): void
  error(msg: string, labels?: Labels): void
}

/** A counter: `inc({ type: 'label', result: 'success' })`. */
export interface Counter {
  inc(labels?: Readonly<Record<string, string>>, by?: number): void
}

/** A gauge: `set(1)`. */
export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void
}

/** A histogram: `observe(0.002)`. */
export interface Histogram {
  observe(value: number): void
}

/** Where metrics are made. A name that exists already gives the same one, so that a part may be started again. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge
}

/** How the agent reaches the API server. The files are read at use: the token changes, and never reaches a log. */
export interface ApiAccess {
  /** Such as `https://10.96.0.1:443`. */
  readonly server: string
  readonly tokenFile: string
  readonly caFile: string
  /** Our own namespace, may be empty. */
  readonly namespace: string
}

/** The repair settings, and those of others that repair shares. */
export interface RepairConfig {
  readonly repairPods: boolean
  readonly deletePods: boolean
  readonly labelPods: boolean
  readonly brokenPodLabelKey: string
  readonly brokenPodLabelValue: string
  /** Empty: the pods of all nodes. */
  readonly nodeName: string
  readonly sidecarAnnotation: string
  readonly initContainerName: string
  readonly initContainerTerminationMessage: string
  readonly initContainerExitCode: number
  readonly labelSelectors: string
  readonly fieldSelectors: string
  readonly nativeNftables: boolean
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** Where the plugin keeps its attachments. */
  readonly agentRunDir: string
}

/** How the plugin's calls are served. */
export interface ServeConfig {
  /** The unix socket. */
  readonly socket: string
  /** Whose pods are watched. Empty: nobody's, each is asked for. */
  readonly nodeName: string
}

/** How the container runtime is asked. */
export interface CriConfig {
  /** The unix socket. */
  readonly socket: string
  /** `false`: the plugin is not in the list of the runtime's default network. */
  readonly chained: boolean
}

/** Whose token the plugin has, and where it is kept. */
export interface PluginTokenConfig {
  /** A service account in the agent's own namespace. */
  readonly account: string
  /** Readable by root only; beside the kubeconfig, which is made from it. */
  readonly file: string
}
