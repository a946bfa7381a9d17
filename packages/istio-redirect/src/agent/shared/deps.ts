import type { ServiceAccount } from '@cni/kube'

/** Labels of a log line or of a metric, by name. */
export type Labels = Readonly<Record<string, string | number | boolean | undefined>>

/** Log of one scope of the agent. Each message is printed as one line, with unsafe characters escaped. */
export interface ScopedLog {
  debug(msg: string, labels?: Labels): void
  info(msg: string, labels?: Labels): void
  warn(msg: string, labels?: Labels): void
  error(msg: string, labels?: Labels): void
}

/** Counter metric, used as `inc({ type: 'label', result: 'success' })`. */
export interface Counter {
  inc(labels?: Readonly<Record<string, string>>): void
}

/** Gauge metric, used as `set(1)`. */
export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void
}

/** Histogram metric, used as `observe(0.002)`. */
export interface Histogram {
  observe(value: number): void
}

/** Factory of metrics. Returns an existing metric again, because services restart. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge
}

/**
 * Access to the API server. The token's and certificates' files are read for each use, because kubelet renews the
 * token. The token never appears in a log.
 */
export interface ApiAccess extends ServiceAccount {
  /** Kubernetes namespace of the agent's pod. May be empty. */
  readonly namespace: string
}

/** Settings for the repair of broken pods. */
export interface RepairConfig {
  readonly repairPods: boolean
  readonly deletePods: boolean
  readonly labelPods: boolean
  readonly brokenPodLabelKey: string
  readonly brokenPodLabelValue: string
  /** Name of the node whose broken pods the agent repairs. An empty name means the pods of all nodes. */
  readonly nodeName: string
  readonly sidecarAnnotation: string
  readonly initContainerName: string
  readonly initContainerTerminationMessage: string
  readonly initContainerExitCode: number
  readonly labelSelectors: string
  readonly fieldSelectors: string
  readonly nativeNftables: boolean
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** Folder with the plugin's records of attachments on the node. */
  readonly agentRunDir: string
}

/** Settings of the socket on which the agent serves the plugin's calls. */
export interface ServeConfig {
  /** Path of the unix socket on which the agent serves the plugin. */
  readonly socket: string
  /** Name of the node whose pods the agent watches. The empty name means no watch. */
  readonly nodeName: string
}

/** Settings of the agent's connection to the container runtime's CRI socket. */
export interface CriConfig {
  /** Path of the container runtime's unix socket. */
  readonly socket: string
  /** True if the plugin is in the plugin list of another network. False if the plugin is a network of its own. */
  readonly chained: boolean
}

/** Settings of the plugin's token: its service account and its file. */
export interface PluginTokenConfig {
  /** Name of the plugin's service account, in the agent's own namespace. */
  readonly account: string
  /** Path of the file with the plugin's token, readable by root only. */
  readonly file: string
}
