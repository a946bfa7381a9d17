import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tempNetns } from '@cni/netns/testing'
import { shim } from '@cni/skel/daemon'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SHIM, socketIn } from '../src/shim.ts'
import { ask, startProcess } from './running.ts'

let folder: string
const running: ReturnType<typeof startProcess>[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'who-is-'))
})
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true })
})

const prevResult = (address: string) => ({ cniVersion: '1.1.0', ips: [{ address }] })
const quick = { ADD: 20, CHECK: 20, GC: 20, STATUS: 20 }
const tester = (options: object = {}) =>
  testPlugin(shim({ ...SHIM, readyTimeout: 20_000, pollInterval: 10, ...options }), {
    conf: { socket: socketIn(folder) },
  })
const start = () => {
  const daemon = startProcess(folder)
  running.push(daemon)
  return daemon
}

test('a killed daemon knows its pods after a restart, and GC removes pods that were deleted meanwhile', async () => {
  await using pod = await tempNetns()
  const call = (containerID: string, address: string) => ({ netns: pod, containerID, prevResult: prevResult(address) })
  const web = call('web', '10.42.0.5/24')
  const db = call('db', '10.42.0.6/24')

  // The first ADD starts before the daemon, and waits.
  const adding = tester().add(web)
  const first = start()
  expect((await adding).result?.ips).toEqual(web.prevResult.ips)
  expect((await tester().add(db)).exitCode).toBe(0)
  expect(await ask(folder, '10.42.0.5')).toEqual(['web'])

  first.child.kill('SIGKILL')
  await first.ended
  expect((await tester().del(db)).log).toMatchObject([
    { level: 'warn', msg: 'the daemon is down: nothing was deleted' },
  ])

  const second = start()
  expect((await tester().check(web)).exitCode).toBe(0)
  expect(await ask(folder, '10.42.0.5')).toEqual(['web'])
  expect(await ask(folder, '10.42.0.6')).toEqual(['db'])
  expect((await tester().gc({ validAttachments: [{ containerID: 'web', ifname: 'eth0' }] })).exitCode).toBe(0)
  expect(await ask(folder, '10.42.0.6')).toEqual([])
  expect((await tester().del(web)).exitCode).toBe(0)
  expect((await tester().check(web)).error?.code).toBe(100)

  second.child.kill('SIGTERM')
  expect(await second.ended).toEqual([0, null])
})

test('without a daemon ADD fails with code 11 and STATUS with 50, and both name the socket', async () => {
  await using pod = await tempNetns()
  const msg = `the daemon at ${socketIn(folder)} is down`
  const shims = tester({ readyTimeout: quick })
  expect((await shims.add({ netns: pod, prevResult: prevResult('10.42.0.5/24') })).error).toMatchObject({
    code: 11,
    msg,
  })
  expect((await shims.status()).error).toMatchObject({ code: 50, msg })
  expect((await shims.status({ conf: { socket: 5 } })).error).toMatchObject({ code: 7 })
})

test('a second daemon does not replace a running one', async () => {
  start()
  expect((await tester().status()).exitCode).toBe(0)
  expect(await start().ended).toEqual([1, null])
  expect((await tester().status()).exitCode).toBe(0)
})
