import { join } from 'node:path'
import type { Conf } from './conf.ts'

/** The configuration with defaults, and with the keys of Istio 1.19 where the newer ones are absent. */
export interface Settings {
  /** `''`: no state, no log file, no kubeconfig of the node agent. */
  readonly runDir: string
  readonly kubeconfig: string | undefined
  readonly excludeNamespaces: readonly string[]
  /** The namespace of the node agent. */
  readonly agentNamespace: string
  /** Pods may be ambient: there are selectors that could choose them. */
  readonly ambient: boolean
  /** A pod whose ambient state cannot be found out fails to start. */
  readonly ambientFailsClosed: boolean
  readonly logLevel: string
  readonly logSocket: string | undefined
  readonly checkMode: 'verify' | 'none'
  readonly statusMode: 'lenient' | 'strict'
}

/** Applies defaults to a parsed configuration. */
export function settingsOf(conf: Conf): Settings {
  const runDir = conf.cni_agent_run_dir ?? ''
  return {
    runDir,
    kubeconfig: runDir === '' ? conf.kubernetes?.kubeconfig || undefined : join(runDir, 'istio-cni-kubeconfig'),
    excludeNamespaces: conf.exclude_namespaces ?? conf.kubernetes?.exclude_namespaces ?? [],
    agentNamespace: conf.pod_namespace ?? '',
    ambient: conf.ambient_enabled === true && (conf.enablement_selectors ?? []).length > 0,
    ambientFailsClosed: conf.enable_ambient_detection_retry === true,
    logLevel: conf.plugin_log_level || conf.log_level || '',
    logSocket: runDir === '' ? conf.log_uds_address || undefined : join(runDir, 'log.sock'),
    checkMode: conf.check_mode ?? 'verify',
    statusMode: conf.status_mode ?? 'lenient',
  }
}
