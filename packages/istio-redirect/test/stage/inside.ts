import { spawnSync } from 'node:child_process'
import { type NetnsTarget, netns } from '@cni/netns'

/** Runs a program in a network namespace, and returns the program's output. Throws if the program fails. */
export function inside(target: NetnsTarget, argv: readonly [string, ...string[]], input = ''): string {
  const [program, ...args] = argv
  const { status, stdout, stderr } = netns.run(target, () => spawnSync(program, args, { input, encoding: 'utf8' }))
  if (status !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout
}
