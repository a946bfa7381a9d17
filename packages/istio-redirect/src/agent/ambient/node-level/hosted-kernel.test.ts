import { netns } from '@cni/netns'
import { expect, test } from 'vitest'
import { memoryKernel } from '../../../../test/node-level/memory-kernel.ts'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import { hostedKernel } from './hosted-kernel.ts'

/** Creates a kernel side whose queries for the node's address return these values in turn. */
async function hosted(...told: readonly (string | Error)[]) {
  const kernels = new Map<string, ReturnType<typeof memoryKernel>>()
  const refusals = new Map<string, Error[]>()
  const log: string[] = []
  const note = (text: string) => void log.push(text)
  const answers = [...told]
  const kernel = await hostedKernel({
    async ask() {
      const answer = answers.shift() ?? new DiscoveryError('asked too often')
      if (typeof answer !== 'string') throw answer
      return { ip: answer, why: 'it says so' }
    },
    async make(hostIp) {
      const made = memoryKernel()
      made.refusals.push(...(refusals.get(hostIp) ?? []))
      refusals.delete(hostIp)
      kernels.set(hostIp, made)
      return { kernel: made, needsNetns: false }
    },
    log: { debug: note, info: note, warn: note, error: note },
  })
  const start = async () => {
    using here = netns.current()
    await kernel.kernel.start({ uid: 'z', name: 'z', ip: '10.60.0.2', dnsCapture: false, netns: here })
  }
  const refuse = (ip: string, error: Error): void => void refusals.set(ip, [error])
  return { ...kernel, start, refuse, calls: (ip: string) => kernels.get(ip)?.calls, log }
}

test('a ztunnel starts with the current address of the node, and pods join there', async () => {
  const { start, kernel, calls, hostIp } = await hosted('192.0.2.1', '10.60.0.1', '10.60.0.1')
  expect(hostIp()).toBe('192.0.2.1')
  await start()
  await kernel.addPod({ uid: 'a', addresses: ['10.60.0.3'] })
  await start()
  expect(hostIp()).toBe('10.60.0.1')
  expect(calls('192.0.2.1')).toEqual(['let go'])
  expect(calls('10.60.0.1')).toEqual(['start z 10.60.0.2', 'add a 10.60.0.3', 'start z 10.60.0.2'])
})

test('if the side for a new address fails to start, it is closed and the former side continues', async () => {
  const { start, kernel, hostIp, calls, refuse } = await hosted('192.0.2.1', '192.0.2.1', '10.60.0.1', '10.60.0.1')
  await start()
  refuse('10.60.0.1', new Error('no veth'))
  await expect(start()).rejects.toThrow('no veth')
  expect(hostIp()).toBe('192.0.2.1')
  await kernel.addPod({ uid: 'a', addresses: ['10.60.0.3'] })
  expect(calls('192.0.2.1')).toEqual(['start z 10.60.0.2', 'add a 10.60.0.3'])
  expect(calls('10.60.0.1')).toEqual(['let go'])
  await start()
  expect(calls('192.0.2.1')?.at(-1)).toBe('let go')
  expect(hostIp()).toBe('10.60.0.1')
})

test('if the query fails, the former address is used; without a former address the creation fails', async () => {
  const { start, calls, log } = await hosted('192.0.2.1', new DiscoveryError('no answer'))
  await start()
  expect(calls('192.0.2.1')).toEqual(['start z 10.60.0.2'])
  expect(log.at(-1)).toBe("cannot query the node's address, keeping 192.0.2.1: no answer")
  await expect(hosted(new DiscoveryError('no answer'))).rejects.toThrow('no answer')
})
