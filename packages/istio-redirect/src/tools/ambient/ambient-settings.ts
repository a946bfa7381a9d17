import type { EnrolmentSettings, Labels, PodCapture } from '@cni/istio-rules'
import { isObject } from '@cni/types'
import type { RulesOptions } from '../../agent/ambient/rules/installed-rules.ts'
import { redirectModeOf } from '../../agent/config/redirect-mode.ts'
import { resolveValues } from '../../agent/config/resolve.ts'
import { nodeLevelSelectors } from '../../agent/config/selectors.ts'
import { iptablesBackend } from '../../backend.ts'
import type { Settings } from '../../conf/settings.ts'
import type { ToolIo } from '../io.ts'
import { documents } from '../pod/read-pods.ts'

/** Settings of an agent in ambient mode, for `check --ambient`. */
export interface AmbientSettings {
  /** True if the agent redirects the pods' traffic on the node, not in the pods. */
  readonly onNode: boolean
  readonly enrolment: EnrolmentSettings
  readonly rules: RulesOptions
  readonly capture: Pick<PodCapture, 'ipv6' | 'dnsCapture' | 'probeSource'>
}

/** Reads the settings of an ambient agent from environment variables and the plugin's configuration. */
export function ambientSettings({ env, stderr }: ToolIo, conf: Settings, native: boolean): AmbientSettings {
  const { values, warnings } = resolveValues({}, [env])
  for (const warning of warnings) stderr(`warn: ${warning}\n`)
  const { forceIptablesBinary: forced } = values
  const mode = redirectModeOf(values)
  if (mode === 'node-ebpf') throw new Error('check --ambient does not support the redirect mode node-ebpf')
  const onNode = mode === 'node-iptables'
  const usual = onNode ? nodeLevelSelectors : usualSelectors
  const selectors = conf.ambientSelectors.length > 0 ? conf.ambientSelectors : usual
  const { excludeNamespaces } = conf
  return {
    onNode,
    enrolment: { selectors, excludeNamespaces, systemNamespace: values.systemNamespace, optOut: onNode },
    rules: {
      native: native || values.nativeNftables,
      backend: iptablesBackend(forced),
    },
    capture: {
      ipv6: values.ambientIpv6,
      dnsCapture: values.ambientDnsCapture,
      probeSource: { ipv4: values.hostProbeSnatIp, ipv6: values.hostProbeSnatIpv6 },
    },
  }
}

/**
 * Reads the labels of a Kubernetes namespace from a file. Returns no labels if the file does not contain the namespace.
 */
export async function namespaceLabels(io: ToolIo, path: string, name: string): Promise<Labels> {
  const found = (await documents(io, path)).flatMap(withItems).find(({ kind, metadata }) => {
    return kind === 'Namespace' && isObject(metadata) && metadata.name === name
  })
  const labels = isObject(found?.metadata) && isObject(found.metadata.labels) ? found.metadata.labels : {}
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

// internal

const mode = 'istio.io/dataplane-mode'

/** Pod selectors of ambient mode that Istio's charts set. */
const usualSelectors: EnrolmentSettings['selectors'] = [
  { podSelector: { matchLabels: { [mode]: 'ambient' } } },
  {
    podSelector: { matchExpressions: [{ key: mode, operator: 'NotIn', values: ['none'] }] },
    namespaceSelector: { matchLabels: { [mode]: 'ambient' } },
  },
]

const withItems = (document: unknown): Readonly<Record<string, unknown>>[] => {
  if (!isObject(document)) return []
  return Array.isArray(document.items) ? document.items.flatMap(withItems) : [document]
}
