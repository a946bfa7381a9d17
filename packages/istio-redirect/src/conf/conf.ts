import { netConf } from '@cni/skel'
import * as z from 'zod/mini'
import { selectorsOf } from './selectors-schema.ts'

/** Schema of ambient mode's pod selectors in the plugin's configuration. */
export const selectorsSchema = selectorsOf(z.string())

const text = z.nullish(z.string())
const flag = z.nullish(z.boolean())
const texts = z.nullish(z.array(z.string()))
/** Schema of a path. The path must be absolute, because the runtime chooses the working directory. */
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
  /**
   * Place of ambient mode's redirection: in each pod, or on the node by iptables or eBPF. In the node modes, a pod
   * annotation can exclude a pod.
   */
  ambient_redirect_mode: z.nullish(z.enum(['inpod', 'node-iptables', 'node-ebpf'])),
  /** Mode of the plugin's CHECK. With `none`, CHECK always succeeds, as Istio's CHECK does. */
  check_mode: z.nullish(z.enum(['verify', 'none'])),
  /** Mode of the plugin's STATUS. `strict` also reports problems that the node agent repairs when it starts. */
  status_mode: z.nullish(z.enum(['lenient', 'strict'])),
  /** `auto`: the plugin asks the node agent first. `never`: the plugin always decides by itself. */
  agent: z.nullish(z.enum(['auto', 'never'])),
  /** Configuration keys of Istio 1.19 and earlier. */
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

/** Schema of the plugin's configuration. Istio's installer writes `null` for keys without a value. */
export const confSchema = netConf(keys)

/** All keys of the plugin's configuration, including keys of Istio 1.19. */
export const confKeys: readonly string[] = Object.keys(keys)

/** Parsed configuration of the plugin. */
export type Conf = z.infer<typeof confSchema>
