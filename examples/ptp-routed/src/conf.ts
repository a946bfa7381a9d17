import { netConf } from '@cni/skel'
import * as z from 'zod/mini'

/** Schema of the plugin's configuration. */
export const config = netConf({
  ipam: z.looseObject({ type: z.string() }),
  mtu: z.optional(z.int().check(z.gte(68), z.lte(65535))),
  sysctls: z._default(z.record(z.string(), z.string()), {}),
})
export type Conf = z.infer<typeof config>

/** Data that ADD records for later DEL and GC: the name of the veth's end on the node. */
export const kept = z.object({ hostLink: z.string() })
export type Kept = z.infer<typeof kept>

/** Sysctls that ADD sets in the pod. `IFNAME` stands for the pod's interface. */
export function settingsOf({ ifName, conf }: { readonly ifName: string; readonly conf: Conf }): [string, string][] {
  return Object.entries(conf.sysctls).map(([name, value]) => [name.replace('IFNAME', ifName), value])
}
