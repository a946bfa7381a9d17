import type { IptablesBackend } from '@cni/iptables'
import { type NetnsTarget, netns } from '@cni/netns'

/** Reads the IPv4 and IPv6 rules in a network namespace, without comments. Default: the node's iptables. */
export async function rulesIn(target: NetnsTarget, backend?: IptablesBackend): Promise<string> {
  const name = backend ?? 'iptables'
  const programs = [name, name.replace('ip', 'ip6')].map((each) => `${each}-save`)
  const texts = await Promise.all(programs.map((program) => netns.exec(target, [program])))
  return texts.map(({ stdout }) => stdout.replace(/^#.*\n/gm, '')).join('')
}
