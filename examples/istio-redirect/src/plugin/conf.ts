import { netConf } from '@cni/skel'
import * as z from 'zod/mini'
import { selectorProblem } from '../kube/label-selector.ts'

// One document per process: to read it takes less than to compile a reader for it.
z.config({ jitless: true })

const labelSelector = () =>
  z
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

/** Absolute: the working directory is the runtime's, and may be anybody's. */
const path = z.string().check(z.regex(/^(?:\/|$)/, 'expected an absolute path'))

/**
 * The plugin's configuration, with the keys of Istio's plugin as they are on the wire. `null` stands for "not given",
 * as in the documents Istio's installer writes.
 */
export const confSchema = netConf({
  plugin_log_level: z.nullish(z.string()),
  cni_agent_run_dir: z.nullish(path),
  ambient_enabled: z.nullish(z.boolean()),
  // Strict: with a misspelt key left out, a selector would match every pod.
  enablement_selectors: z.nullish(
    z.array(
      z.strictObject({
        podSelector: z.nullish(z.lazy(labelSelector)),
        namespaceSelector: z.nullish(z.lazy(labelSelector)),
      }),
    ),
  ),
  exclude_namespaces: z.nullish(z.array(z.string())),
  pod_namespace: z.nullish(z.string()),
  native_nftables: z.nullish(z.boolean()),
  enable_ambient_detection_retry: z.nullish(z.boolean()),
  /** `none`: CHECK says yes without looking, as Istio's does. */
  check_mode: z.nullish(z.enum(['verify', 'none'])),
  /** `strict`: STATUS also fails for what the node agent repairs when it starts. */
  status_mode: z.nullish(z.enum(['lenient', 'strict'])),
  /** Istio 1.19 and before. */
  log_level: z.nullish(z.string()),
  log_uds_address: z.nullish(path),
  kubernetes: z.nullish(
    z.looseObject({
      kubeconfig: z.nullish(path),
      exclude_namespaces: z.nullish(z.array(z.string())),
      intercept_type: z.nullish(z.enum(['iptables', ''])),
    }),
  ),
})

/** A parsed configuration. */
export type Conf = z.infer<typeof confSchema>
