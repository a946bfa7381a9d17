import { type NetnsTarget, netns } from '@cni/netns'

/** The rules of both families in a namespace, without comments. `kind`: of that iptables. */
export async function rulesIn(target: NetnsTarget, kind?: 'nft' | 'legacy'): Promise<string> {
  const variant = kind === undefined ? '' : `-${kind}`
  const programs = ['iptables', 'ip6tables'].map((stem) => `${stem}${variant}-save`)
  const texts = await Promise.all(programs.map((program) => netns.exec(target, [program])))
  return texts.map(({ stdout }) => stdout.replace(/^#.*\n/gm, '')).join('')
}
