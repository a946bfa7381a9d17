/** Labels of a log line or of a metric's sample. */
export type Labels = Readonly<Record<string, string | number | boolean | undefined>>

/** Log of one scope. A message is one line: unsafe characters are escaped when it is printed. */
export interface ScopedLog {
  debug(msg: string, labels?: Labels): void
  info(msg: string, labels?: Labels): void
  warn(msg: string, labels?: Labels): void
  error(msg: string, labels?: Labels): void
}

/** Counter metric, used as `inc({ type: 'label', result: 'success' })`. */
export interface Counter {
  inc(labels?: Readonly<Record<string, string>>, by?: number): void
}

/** Gauge metric, used as `set(1)`. */
export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void
}

/** Histogram metric, used as `observe(0.002)`. */
export interface Histogram {
  observe(value: number): void
}

/** Factory of metrics. An existing name returns the existing metric, so that a part can restart. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge
}

/**
 * Access to the API server. The files of token and certificates are read for each use, because the token changes. The
 * token never reaches a log.
 */
export interface ApiAccess {
  /** URL, such as `https://10.96.0.1:443`. */
  readonly server: string
  readonly tokenFile: string
  readonly caFile: string
  /** Namespace of the agent itself. May be empty. */
  readonly namespace: string
}

/** Settings of the repair of broken pods, including shared settings that repair needs. */
export interface RepairConfig {
  readonly repairPods: boolean
  readonly deletePods: boolean
  readonly labelPods: boolean
  readonly brokenPodLabelKey: string
  readonly brokenPodLabelValue: string
  /** Node whose pods are repaired. An empty name means the pods of all nodes. */
  readonly nodeName: string
  readonly sidecarAnnotation: string
  readonly initContainerName: string
  readonly initContainerTerminationMessage: string
  readonly initContainerExitCode: number
  readonly labelSelectors: string
  readonly fieldSelectors: string
  readonly nativeNftables: boolean
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** Folder of the plugin's attachment records. */
  readonly agentRunDir: string
}

/** Settings of the socket on which the agent serves the plugin's calls. */
export interface ServeConfig {
  /** Path of the unix socket. */
  readonly socket: string
  /** Node whose pods are watched. With an empty name no pods are watched, and each pod is requested alone. */
  readonly nodeName: string
}

/** Settings of the connection to the container runtime. */
export interface CriConfig {
  /** Path of the runtime's unix socket. */
  readonly socket: string
  /** `false` if the plugin is not in the list of the runtime's default network. */
  readonly chained: boolean
}

/** Service account of the plugin's token, and the token's file. */
export interface PluginTokenConfig {
  /** Name of a service account in the agent's own namespace. */
  readonly account: string
  /** Path of the token's file, readable by root only. The kubeconfig next to it contains the same token. */
  readonly file: string
}
