import { ipset } from '@cni/ipset'
import { type Netns, netns } from '@cni/netns'

/** Prints all rules, sets and routes of a network namespace, without sysctls. */
export async function everything(target: Netns): Promise<string> {
  const run = async (...args: [string, ...string[]]): Promise<string> => (await netns.exec(target, args)).stdout
  const rules = (await run('iptables-save')).replaceAll(/^#.*\n|\[\d+:\d+\]/gm, '')
  const sets = (await ipset(target).list()).map(({ name }) => name)
  // Skips empty tables and chain policies, which iptables may create when it only reads rules.
  const own = rules.split('\n').filter((line) => line.startsWith('-') || /^:(?![A-Z]+ )/.test(line))
  return [...own, ...sets, await run('ip', '-4', 'rule'), await run('ip', '-4', 'route', 'show', 'table', 'all')].join(
    '\n',
  )
}
