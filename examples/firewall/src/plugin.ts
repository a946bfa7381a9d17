import { type IptablesOptions, iptables, type Ruleset } from '@cni/iptables'
import { definePlugin, netConf, runtimeConfig } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import * as z from 'zod/mini'
import { ENTRY_FORM, type Entry, parseEntry } from './entry.ts'
import { chainsOf, firewall } from './rules.ts'

/** CNI capability through which the container runtime passes the pod's annotations to the plugin. */
const ANNOTATIONS = 'io.kubernetes.cri.pod-annotations'
/** Pod annotation that opens ports of the pod. Its value is a list of firewall entries, separated by commas. */
export const ALLOW_ANNOTATION = 'pod-firewall.example/allow'

const entry = z.pipe(
  z.string(),
  z.transform((text, { issues }) => {
    const parsed = parseEntry(text)
    if (parsed === undefined) issues.push({ code: 'custom', message: ENTRY_FORM, input: text })
    return parsed ?? z.NEVER
  }),
)
const entries = z._default(z.array(entry), [])

const config = netConf({
  deny: entries,
  allow: entries,
  otherwise: z._default(z.enum(['deny', 'allow']), 'deny'),
  runtimeConfig: runtimeConfig(ANNOTATIONS),
})
type Conf = z.infer<typeof config>

/** A plugin that filters incoming packets of a pod. Tests pass a fake kernel in `options`. */
export const podFirewall = (options: IptablesOptions = {}) =>
  definePlugin({
    name: 'pod-firewall',
    about: 'Says what may come into a pod: by the network, and by the pod itself.',
    chained: true,
    // DEL removes only the chains of its interface and keeps the pod's other chains.
    removal: 'own',
    config,
    async add(c) {
      await iptables(c, options).apply(rulesOf(c))
      return c.prevResult
    },
    async check(c) {
      await iptables(c, options).verify(rulesOf(c))
    },
    async del(c) {
      if (c.netns) await iptables(c, options).removeChains(chainsOf(c.ifName))
    },
    async status(c) {
      try {
        await iptables('host', { ...options, families: ['ipv4'] }).save('ipv4')
      } catch (cause) {
        c.signal.throwIfAborted()
        throw new CniError(ErrorCode.pluginNotAvailable, 'iptables does not work on this node', { cause })
      }
    },
  })

export const plugin = podFirewall()

function rulesOf({ ifName, conf }: { readonly ifName: string; readonly conf: Conf }): Ruleset {
  const { deny, allow, otherwise, runtimeConfig: passed } = conf
  return firewall(ifName, { deny, allow: [...allow, ...ofPod(passed[ANNOTATIONS])], otherwise })
}

function ofPod(annotations: Readonly<Record<string, string>>): Entry[] {
  const text = annotations[ALLOW_ANNOTATION]?.trim() ?? ''
  if (text === '') return []
  return text.split(/\s*,\s*/).map((each) => {
    const parsed = parseEntry(each)
    if (parsed !== undefined) return parsed
    const said = `annotation ${ALLOW_ANNOTATION}: ${ENTRY_FORM}, got ${JSON.stringify(each.slice(0, 100))}`
    throw new CniError(ErrorCode.invalidNetworkConfig, said)
  })
}
