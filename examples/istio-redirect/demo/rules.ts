import { run } from '@cni/host'
import { iptables } from '@cni/iptables'
import { crud, ruleBuilders } from '@cni/iptables/crud'
import { type Family, families } from '@cni/iptables/rules'
import { type Netns, netns } from '@cni/netns'

/** Reads and changes the rules of the pod. */
export interface Rules {
  /** Name of the tool, for people. */
  readonly by: string
  /** Rules of the plugin's chains and jumps to them, in the format of `iptables-save`. */
  own(family: Family): Promise<string[]>
  /** Deletes an IPv4 rule of the plugin. Returns a description of the rule. */
  spoil(): Promise<string>
}

const isOwn = (line: string): boolean => line.includes('ISTIO_') && /^(?:\[|-A)/.test(line)

/** Uses Debian's programs, independent of this repository. Each rule has its `[packets:bytes]`. */
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

/** Uses `@cni/iptables` over netlink, if programs are hidden. */
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

/** Rules of both families. */
export async function ownRules({ own }: Rules): Promise<Record<Family, string[]>> {
  const [ipv4, ipv6] = await Promise.all(families.map(own))
  return { ipv4: ipv4 ?? [], ipv6: ipv6 ?? [] }
}
