import { rmSync } from 'node:fs'
import { run } from '@cni/host'
import { tempNetns } from '@cni/netns/testing'
import type { Contender, Program } from '../race/contender.ts'

export type Verb = 'ADD' | 'CHECK' | 'DEL'

/** A measured plugin that needs no API server: one of our examples, or a plugin of Debian's package. */
export interface Plugin extends Program {
  readonly conf: { readonly type: string }
  /** True if the plugin creates the pod's interface. All other plugins get a `prevResult` with an interface. */
  readonly isFirst?: boolean
}

/** Configuration of the example plugin hello-chain for the benchmark. */
export const HELLO_CONF = { type: 'hello-chain', port: 15_001 }

/** Measured call of a plugin in a new network namespace. */
export function called({ name, argv, conf, isFirst = false, reference = false }: Plugin, verb: Verb): Contender {
  return {
    name,
    reference,
    async prepare() {
      const podNetns = await tempNetns()
      const env = {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        CNI_CONTAINERID: 'bench',
        CNI_IFNAME: 'eth0',
        CNI_NETNS: podNetns.path,
        CNI_PATH: '/usr/lib/cni',
      }
      const interfaces = [{ name: 'eth0', sandbox: podNetns.path }]
      const before = { cniVersion: '1.0.0', interfaces, ips: [{ interface: 0, address: '10.222.0.9/24' }] }
      const call = (as: Verb, prevResult: object | undefined) => ({
        env: { ...env, CNI_COMMAND: as },
        stdin: JSON.stringify({ cniVersion: '1.0.0', name: 'bench', ...conf, prevResult }),
      })
      let prevResult = isFirst ? undefined : before
      if (verb !== 'ADD') {
        const add = call('ADD', prevResult)
        const { stdout } = await run(argv, { env: add.env, input: add.stdin })
        if (isFirst) prevResult = JSON.parse(stdout)
      }
      return {
        argv,
        ...call(verb, prevResult),
        async cleanUp() {
          if (isFirst) {
            const del = call('DEL', prevResult)
            await run(argv, { env: del.env, input: del.stdin })
          }
          await podNetns[Symbol.asyncDispose]()
          // Removes the plugin's attachment records, because old records would slow the next DEL.
          rmSync(`/run/cni/${conf.type}`, { recursive: true, force: true })
        },
      }
    },
  }
}
