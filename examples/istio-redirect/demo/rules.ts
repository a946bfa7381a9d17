import { run } from '@cni/host'
import { iptables } from '@cni/iptables'
import { crud, ruleBuilders } from '@cni/iptables/crud'
import { type Family, families } from '@cni/iptables/rules'
import { type Netns, netns } from '@cni/netns'

/** Reads and changes the redirection rules in the demo's pod. */
export interface Rules {
  /** Name of the tool that reads the rules, printed by the demo. */
  readonly by: string
  /** Rules in the plugin's chains, and the jumps to these chains, in the format of `iptables-save`. */
  own(family: Family): Promise<string[]>
  /** Deletes an IPv4 rule in the pod, so that CHECK fails. Returns a description. */
  spoil(): Promise<string>
}

const isOwn = (line: string): boolean => line.includes('ISTIO_') && /^(?:\[|-A)/.test(line)

/**
 * Reads the pod's rules with Debian's iptables programs, independent of this repository. Each line has the counters
 * `[packets:bytes]`.
 */
export async function rulesByPrograms(pod: Netns): Promise<Rules> {
  const { stdout: version } = await run(['iptables-restore', '--version'])
  return {
    by: version.trim(),
    async own(family) {
      const { stdout } = await netns.exec(pod, [family === 'ipv4' ? 'iptables-save' : 'ip6tables-save', '-c'])
      return stdout.split('\n').filter(isOwn)
    },
    async spoil() {
      const command = ['iptables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT'] as const
      await netns.exec(pod, command)
      return command.join(' ')
    },
  }
}

/** Reads the pod's rules with `@cni/iptables` over netlink, for the demo that hides the iptables programs. */
export function rulesByNetlink(pod: Netns): Rules {
  const { nat } = ruleBuilders({ nat: ['ISTIO_OUTPUT'] })
  return {
    by: 'no program of iptables; rules read by netlink',
    own: async (family) => (await iptables(pod, { programs: 'never' }).save(family)).split('\n').filter(isOwn),
    async spoil() {
      const jump = nat.on('OUTPUT').jump('ISTIO_OUTPUT')
      await crud(pod, { programs: 'never', families: ['ipv4'] }).deleteRule(jump)
      return "crud(pod, { families: ['ipv4'] }).deleteRule(nat.on('OUTPUT').jump('ISTIO_OUTPUT'))"
    },
  }
}

/** The plugin's IPv4 and IPv6 rules in the pod. */
export async function ownRules({ own }: Rules): Promise<Record<Family, string[]>> {
  const [ipv4, ipv6] = await Promise.all(families.map(own))
  return { ipv4: ipv4 ?? [], ipv6: ipv6 ?? [] }
}
