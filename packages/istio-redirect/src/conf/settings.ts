import type { DecisionSettings } from '@cni/istio-rules'
import { inFolder } from '../in-folder.ts'
import type { Conf } from './conf.ts'

/** Settings of the plugin with defaults applied. A key of Istio 1.19 applies where the newer key is absent. */
export interface Settings extends DecisionSettings {
  /**
   * Run directory of the node agent; `''` means none. It contains the state folder, the log file and the agent's
   * kubeconfig.
   */
  readonly runDir: string
  readonly kubeconfig: string | undefined
  /** True if ADD must fail when the plugin cannot find out if the pod belongs to the ambient mesh. */
  readonly ambientFailsClosed: boolean
  /** Path of the socket where the node agent accepts new ambient pods. */
  readonly eventSocket: string | undefined
  readonly logLevel: string
  readonly logSocket: string | undefined
  readonly checkMode: 'verify' | 'none'
  readonly statusMode: 'lenient' | 'strict'
  /** True if the plugin asks the node agent to decide about a pod. */
  readonly mayBeServed: boolean
}

/** Applies defaults to the plugin's parsed configuration. */
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
