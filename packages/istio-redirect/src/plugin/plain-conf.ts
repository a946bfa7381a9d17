import type { PlainFirst } from '@cni/skel'
import {
  exactObjectOf,
  type Guard,
  type Guarded,
  isFlag,
  isText,
  listOf,
  membersOf,
  nullish,
  oneOf,
  plainConf,
} from '@cni/skel/plain'
import { selectorProblem } from '../kube/label-selector.ts'
import type { Conf } from './conf.ts'

const text = nullish(isText)
const flag = nullish(isFlag)
const path = nullish((value: unknown): value is string => isText(value) && (value === '' || value.startsWith('/')))
const none = (value: unknown): value is null | undefined => value === undefined || value === null

const isSelectorShape = exactObjectOf({
  matchLabels: nullish(membersOf(isText)),
  matchExpressions: nullish(
    listOf(
      exactObjectOf({
        key: isText,
        operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: nullish(listOf(isText)),
      }),
    ),
  ),
})
const isSelector: typeof isSelectorShape = (value): value is Guarded<typeof isSelectorShape> =>
  isSelectorShape(value) && selectorProblem(value) === undefined

const members = {
  plugin_log_level: text,
  cni_agent_run_dir: path,
  ambient_enabled: flag,
  enablement_selectors: nullish(
    listOf(exactObjectOf({ podSelector: nullish(isSelector), namespaceSelector: nullish(isSelector) })),
  ),
  exclude_namespaces: nullish(listOf(isText)),
  pod_namespace: text,
  native_nftables: flag,
  enable_ambient_detection_retry: flag,
  ambient_redirect_mode: nullish(oneOf('inpod', 'node-iptables', 'node-ebpf')),
  check_mode: nullish(oneOf('verify', 'none')),
  status_mode: nullish(oneOf('lenient', 'strict')),
  agent: nullish(oneOf('auto', 'never')),
  log_level: text,
  log_uds_address: path,
  kubernetes: none,
}

/** The keys that are this plugin's own, those of Istio 1.19 among them. */
export const confKeys: readonly string[] = Object.keys(members)

/** The schema, behind what does without it. */
export const confSource: PlainFirst<Conf> = {
  plain: (document) => isPlainConf(document),
  schema: async () => (await import('./conf.ts')).confSchema,
}

/**
 * Vouches for configurations that the schema gives back as they are, for calls that then do without zod. What only Istio
 * 1.19 knew is left to the schema.
 */
export const isPlainConf: Guard<Conf> = plainConf(members)
