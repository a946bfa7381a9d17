import { selectorProblem } from '@cni/istio-rules'
import { netConf } from '@cni/skel'
import * as z from 'zod/mini'

const labelSelector = z
  .strictObject({
    matchLabels: z.nullish(z.record(z.string(), z.string())),
    matchExpressions: z.nullish(
      z.array(
        z.strictObject({
          key: z.string(),
          operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: z.nullish(z.array(z.string())),
        }),
      ),
    ),
  })
  .check(({ value, issues }) => {
    const message = selectorProblem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })

/** The selectors of ambient mode. Strict: with a misspelt key left out, a selector would match every pod. */
export const selectorsSchema = z.array(
  z.strictObject({ podSelector: z.nullish(labelSelector), namespaceSelector: z.nullish(labelSelector) }),
)

const text = z.nullish(z.string())
const flag = z.nullish(z.boolean())
const texts = z.nullish(z.array(z.string()))
/** Absolute: the working directory is the runtime's, and may be anybody's. */
const path = z.nullish(z.string().check(z.regex(/^(?:\/|$)/, 'expected an absolute path')))

const keys = {
  plugin_log_level: text,
  cni_agent_run_dir: path,
  ambient_enabled: flag,
  enablement_selectors: z.nullish(selectorsSchema),
  exclude_namespaces: texts,
  pod_namespace: text,
  native_nftables: flag,
  enable_ambient_detection_retry: flag,
  /** On the node level: by the rules of Istio 1.19, whose annotation keeps a pod outside. */
  ambient_redirect_mode: z.nullish(z.enum(['inpod', 'node-iptables', 'node-ebpf'])),
  /** `none`: CHECK says yes without looking, as Istio's does. */
  check_mode: z.nullish(z.enum(['verify', 'none'])),
  /** `strict`: STATUS also fails for what the node agent repairs when it starts. */
  status_mode: z.nullish(z.enum(['lenient', 'strict'])),
  /** `never`: the plugin decides by itself, whether the node agent would answer or not. */
  agent: z.nullish(z.enum(['auto', 'never'])),
  /** Istio 1.19 and before. */
  log_level: text,
  log_uds_address: path,
  kubernetes: z.nullish(
    z.looseObject({
      kubeconfig: path,
      exclude_namespaces: texts,
      intercept_type: z.nullish(z.enum(['iptables', ''])),
    }),
  ),
}

/**
 * The plugin's configuration, with the keys of Istio's plugin as they are on the wire. `null` stands for "not given",
 * as in the documents Istio's installer writes.
 */
export const confSchema = netConf(keys)

/** The keys that are this plugin's own, those of Istio 1.19 among them. */
export const confKeys: readonly string[] = Object.keys(keys)

/** A parsed configuration. */
export type Conf = z.infer<typeof confSchema>
