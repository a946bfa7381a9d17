import type { PluginConf } from '@cni/types'
import { redirectModeOf } from './redirect-mode.ts'
import { nodeLevelSelectors, parseSelectors } from './selectors.ts'
import type { Values } from './variables.ts'

/** Builds the plugin's configuration from the agent's settings. */
export function pluginEntry(values: Values, pluginLogLevel: string): PluginConf {
  const excluded = commaList(values.excludeNamespaces)
  const mode = values.ambientEnabled ? redirectModeOf(values) : 'inpod'
  return {
    cniVersion: '0.3.1',
    name: 'istio-cni',
    type: 'istio-cni',
    ipam: {},
    dns: {},
    plugin_log_level: pluginLogLevel,
    cni_agent_run_dir: values.cniAgentRunDir,
    ambient_enabled: values.ambientEnabled,
    enablement_selectors: mode === 'inpod' ? parseSelectors(values.ambientEnablementSelector) : [...nodeLevelSelectors],
    exclude_namespaces: excluded.length > 0 ? excluded : null,
    pod_namespace: values.podNamespace,
    native_nftables: values.nativeNftables,
    enable_ambient_detection_retry: values.enableAmbientDetectionRetry,
    ...(mode === 'inpod' ? {} : { ambient_redirect_mode: mode }),
    ...(values.podAnnotationsCapability ? { capabilities: { 'io.kubernetes.cri.pod-annotations': true } } : {}),
    ...(values.checkMode === '' ? {} : { check_mode: values.checkMode }),
  }
}

/** Splits a comma-separated setting. Items are trimmed, and empty items are dropped. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
