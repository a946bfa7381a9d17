import { readdirSync } from 'node:fs'
import { run } from '@cni/host'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import type { Contender, Program } from '../race/contender.ts'
import { type Chain, DEBIAN, PATH, pod } from './chain.ts'

/** Runs `cnitool add` or `cnitool del` in a new namespace. All versions of cnitool use the same cache folder. */
export function cnitool({ env }: Chain, { name, argv, reference = false }: Program, command: 'add' | 'del'): Contender {
  return {
    name,
    reference,
    async prepare() {
      const podNetns = await tempNetns()
      const call = (verb: string) => run([...argv, verb, 'bench', podNetns.path], { env })
      if (command === 'del') await call('add')
      return {
        argv: [...argv, command, 'bench', podNetns.path],
        env,
        async verify() {
          const { stdout } = await netns.exec(podNetns, ['iptables-save'], { env: { PATH } })
          const cached = readdirSync('/var/lib/cni/results').length
          const [rules, remembered] = command === 'add' ? [true, 1] : [false, 0]
          if (stdout.includes('EX_REDIRECT') !== rules || cached !== remembered)
            throw new Error(`${name} ${command}: rules ${stdout}, ${cached} cache files`)
        },
        async cleanUp() {
          await call('del')
          await podNetns[Symbol.asyncDispose]()
        },
      }
    },
  }
}

/** Measures the start of cnitool: this network's CNI version lacks STATUS, so no plugin runs. */
export function idle({ env }: Chain, { name, argv, reference = false }: Program): Contender {
  return { name, reference, prepare: async () => ({ argv: [...argv, 'status', 'bench', '/proc/self/ns/net'], env }) }
}

/** Calls VERSION of a plugin, with a configuration on stdin. */
export function version({ name, argv, reference = false }: Program): Contender {
  return {
    name,
    reference,
    prepare: async () => ({ argv, env: { CNI_COMMAND: 'VERSION' }, stdin: '{"cniVersion":"1.0.0"}' }),
  }
}

/** A plugin that does little or no work. */
export interface SmallPlugin extends Program {
  /** False for the first plugin of a chain, whose ADD needs no `prevResult`. */
  readonly chained?: boolean
}

/** Calls ADD of one plugin. */
export function single({ name, argv, reference = false, chained = true }: SmallPlugin): Contender {
  return {
    name,
    reference,
    async prepare() {
      const { podNetns, rt } = await pod()
      const prevResult = {
        cniVersion: '1.0.0',
        interfaces: [{ name: 'lo', sandbox: podNetns.path }],
        ips: [{ interface: 0, address: '127.0.0.1/8' }],
      }
      return {
        argv,
        env: {
          PATH,
          CNI_COMMAND: 'ADD',
          CNI_CONTAINERID: rt.containerID,
          CNI_NETNS: podNetns.path,
          CNI_IFNAME: 'lo',
          CNI_PATH: DEBIAN,
        },
        stdin: JSON.stringify({
          cniVersion: '1.0.0',
          name: 'bench',
          type: 'x',
          ...(chained ? { prevResult } : {}),
        }),
        verify(stdout: string) {
          if (!stdout.includes('127.0.0.1/8')) throw new Error(`${name}: not the result expected: ${stdout}`)
        },
        cleanUp: () => podNetns[Symbol.asyncDispose](),
      }
    },
  }
}
