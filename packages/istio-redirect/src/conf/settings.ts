import type { DecisionSettings } from '@cni/istio-rules'
import { inFolder } from '../in-folder.ts'
import type { Conf } from './conf.ts'

/** The configuration with defaults, and with the keys of Istio 1.19 where the newer ones are absent. */
export interface Settings extends DecisionSettings {
  /** `''`: no state, no log file, no kubeconfig of the node agent. */
  readonly runDir: string
  readonly kubeconfig: string | undefined
  /** A pod whose ambient state cannot be found out fails to start. */
  readonly ambientFailsClosed: boolean
  /** Where the node agent listens for new ambient pods. */
  readonly eventSocket: string | undefined
  readonly logLevel: string
  readonly logSocket: string | undefined
  readonly checkMode: 'verify' | 'none'
  readonly statusMode: 'lenient' | 'strict'
  /** The node agent is asked to decide. */
  readonly mayBeServed: boolean
}

/** Applies defaults to a parsed configuration. */
export function settingsOf(conf: Conf): Settings {
  const runDir = conf.cni_agent_run_dir ?? ''
  return {
    runDir,
    kubeconfig: runDir === '' ? conf.kubernetes?.kubeconfig || undefined : inFolder(runDir, 'istio-cni-kubeconfig'),
    excludeNamespaces: conf.exclude_namespaces ?? conf.kubernetes?.exclude_namespaces ?? [],
    agentNamespace: conf.pod_namespace ?? '',
    ambientSelectors: conf.ambient_enabled === true ? (conf.enablement_selectors ?? []) : [],
    ambientFailsClosed: conf.enable_ambient_detection_retry === true,
    ambientOptOut: (conf.ambient_redirect_mode ?? 'inpod') !== 'inpod',
    eventSocket: runDir === '' ? undefined : inFolder(runDir, 'pluginevent.sock'),
    logLevel: conf.plugin_log_level || conf.log_level || '',
    logSocket: runDir === '' ? conf.log_uds_address || undefined : inFolder(runDir, 'log.sock'),
    checkMode: conf.check_mode ?? 'verify',
    statusMode: conf.status_mode ?? 'lenient',
    mayBeServed: runDir !== '' && conf.agent !== 'never',
  }
}
