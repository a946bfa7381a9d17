import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Attachment, type Cni, cni, encodeConf, parseNetworkList, planNetwork } from '@cni/libcni'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { root } from '../compiled.ts'
import type { Contender } from '../race/contender.ts'

export const DEBIAN = '/usr/lib/cni'
export const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const path = [join(root, 'dist/bin'), DEBIAN]

/** A network list with three plugins for the benchmark, in a folder of its own. */
export interface Chain {
  readonly list: ReturnType<typeof parseNetworkList>
  readonly runtime: Cni
  /** Environment variables with which cnitool finds the network list and the plugins. */
  readonly env: Record<string, string>
}

export function createChain(folder: string): Chain {
  const text = JSON.stringify({
    cniVersion: '1.0.0',
    name: 'bench',
    plugins: [
      {
        type: 'bridge',
        bridge: 'bench0',
        isGateway: true,
        ipam: { type: 'host-local', dataDir: `${folder}/leases`, subnet: '10.223.0.0/16' },
      },
      { type: 'tuning', sysctl: { 'net.ipv4.conf.all.log_martians': '1' } },
      { type: 'hello-chain', port: 15001 },
    ],
  })
  mkdirSync(`${folder}/net.d`)
  writeFileSync(`${folder}/net.d/bench.conflist`, text)
  const env = { PATH, NETCONFPATH: `${folder}/net.d`, CNI_PATH: path.join(':') }
  return { list: parseNetworkList(text), runtime: cni({ path, env: { PATH } }), env }
}

let pods = 0

interface Pod {
  podNetns: Netns & AsyncDisposable
  rt: Attachment
}

/** Creates a network namespace for a benchmark pod, with a unique container id. */
export async function pod(): Promise<Pod> {
  const podNetns = await tempNetns()
  return { podNetns, rt: { containerID: `bench${++pods}`, netns: podNetns.path, ifName: 'eth0' } }
}

async function detach({ list, runtime }: Chain, { podNetns, rt }: Pod): Promise<void> {
  await runtime.del(list, rt)
  await podNetns[Symbol.asyncDispose]()
}

/** Creates the measured function, which runs a plugin chain with `@cni/libcni` in this process. */
export function library(chain: Chain, verb: 'ADD' | 'DEL'): Contender {
  const { list, runtime } = chain
  return {
    name: 'ours',
    async prepare() {
      const one = await pod()
      if (verb === 'DEL') await runtime.add(list, one.rt)
      return {
        async run() {
          if (verb === 'ADD') await runtime.add(list, one.rt)
          else await runtime.del(list, one.rt)
        },
        cleanUp: () => detach(chain, one),
      }
    },
  }
}

/** Creates the reference, which executes the chain's plugins directly, without `@cni/libcni`. */
export function parts(chain: Chain, verb: 'ADD' | 'DEL'): Contender {
  const { list, runtime } = chain
  return {
    name: 'sum of its parts',
    reference: true,
    async prepare() {
      const one = await pod()
      const prevResult = verb === 'DEL' ? (await runtime.add(list, one.rt)).document : undefined
      const request =
        verb === 'ADD' ? { command: verb, rt: one.rt, path } : { command: verb, rt: one.rt, path, prevResult }
      const steps = planNetwork(list.conflist, request).calls.map(({ type, env, conf }) => ({
        file: path.map((dir) => join(dir, type)).find((file) => existsSync(file)) ?? type,
        env: { ...env, PATH },
        conf,
      }))
      return {
        async run() {
          let stdout = ''
          for (const { file, env, conf } of steps) {
            const stdin = stdout === '' ? conf : { ...conf, prevResult: JSON.parse(stdout) }
            stdout = await bareRun(file, env, encodeConf(stdin))
          }
        },
        cleanUp: () => detach(chain, one),
      }
    },
  }
}

async function bareRun(file: string, env: Record<string, string>, stdin: string): Promise<string> {
  const child = spawn(file, [], { env, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let stdout = ''
  child.stdin.on('error', () => undefined).end(stdin)
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  await closed
  if (child.exitCode !== 0) throw new Error(`${file} failed (${child.exitCode}): ${stdout}`)
  return stdout
}
