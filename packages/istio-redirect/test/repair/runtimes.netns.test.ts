import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { netns } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { times } from '../../../../test/deep.ts'
import { runtimePrograms } from '../../../kube/test/runtime-programs.ts'
import { repairGrants } from '../../src/testing/grants.ts'
import { showProcess } from '../ambient/node-files.ts'
import { podWith } from '../stage/kernel.ts'
import { type Stage, stage } from '../stage/stage.ts'
import { validatedPod } from './repair-fixture.ts'

const script = fileURLToPath(new URL('repair-many.ts', import.meta.url))

/** Many repairs in one process, as an agent lives for months. */
const repairs = times(10)

describe.each(runtimePrograms)('repair on %s', (_, runtime) => {
  let it: Stage & AsyncDisposable
  let pause: ChildProcess | undefined
  beforeEach(async () => {
    it = await stage({ api: { grants: repairGrants.repair } }, (it) => it)
  })
  afterEach(async () => {
    await it[Symbol.asyncDispose]()
    if (pause === undefined) return
    const closed = once(pause, 'close')
    pause.kill('SIGKILL')
    await closed
  })

  /** A pod's namespace with a process in the node's procfs. */
  async function runningPod() {
    const target = await podWith('10.78.1.2')
    pause = netns.run(target, () => spawn('sleep', ['100'], { stdio: 'ignore' }))
    await once(pause, 'spawn')
    showProcess(it.root, '1', '', { path: '/proc/self/ns/net' })
    symlinkSync(`/proc/${pause.pid}`, it.path(`proc/${pause.pid}`))
    return target
  }
  const program = (repairs: number) =>
    [
      ...[...runtime, script, it.api.url],
      ...['sa/token', 'sa/ca.crt', 'proc'].map((name) => it.path(name)),
      String(repairs),
    ] as const

  test.each([
    ['works with SYS_ADMIN, SYS_PTRACE and NET_ADMIN', '-sys_chroot', '', []],
    ['with SYS_CHROOT, and NET_RAW for legacy programs, works through those', '+sys_chroot,+net_raw', 'legacy', []],
    [
      'works without SYS_CHROOT through unshielded programs, and says why',
      '-sys_chroot,+net_raw',
      'legacy',
      [expect.stringMatching(/runs without its shield .*No shield: .*: this process lacks CAP_SYS_CHROOT\)$/)],
    ],
  ])('%s', async (_, more, forced, failures) => {
    await using target = await runningPod()
    it.api.setPod(validatedPod(126, { name: 'web' }, { podIP: '10.78.1.2' }))
    const only = `--bounding-set=-all,+sys_admin,+sys_ptrace,+net_admin,${more}`
    const { stdout } = await run(['setpriv', only, '--inh-caps=-all', ...program(1), forced], { timeout: 20_000 })
    expect(JSON.parse(stdout)).toMatchObject({ success: 1, failures })
    const { stdout: rules } = await netns.exec(target, [`iptables-${forced || 'nft'}-save`])
    expect(rules).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  test('survives closed watches and restores every thread’s namespace after many pods', {
    timeout: 120_000,
  }, async () => {
    await using target = await runningPod()
    const fail = (n: number) => {
      // Each pod has other ports, so each repair writes rules.
      const annotations = { 'traffic.sidecar.istio.io/excludeOutboundPorts': String(1000 + n) }
      it.api.setPod(validatedPod(126, { name: `pod-${n}`, annotations }, { podIP: '10.78.1.2' }))
    }
    for (let n = 0; n < repairs - 1; n += 1) fail(n)
    const ended = run(program(repairs), { timeout: 110_000 })
    const watches = () => it.api.requests.filter(({ url }) => url.includes('watch=true')).length
    await vi.waitFor(() => expect(watches()).toBe(1), { timeout: 20_000, interval: 10 })
    await expect.poll(() => it.api.watches()).toBe(1)
    it.api.say('garbage\n')
    await vi.waitFor(() => expect([watches(), it.api.watches()]).toEqual([2, 1]), { timeout: 20_000, interval: 10 })
    it.api.say('{"type":"ADDED","object":{"metadata":{"na')
    it.api.cutAll()
    fail(repairs - 1)
    const { stdout } = await ended
    const { rssKb, failures, ...outcome } = JSON.parse(stdout)
    expect(outcome).toEqual({ success: repairs, namespaces: [readlinkSync('/proc/self/ns/net')] })
    // The connection may close during a read of a pod. The repair is then retried.
    expect(failures.filter((each: string) => !/^repair of .* was closed/.test(each))).toEqual([
      expect.stringContaining('something that is not an event'),
      expect.stringMatching(/^cannot watch pods: .* was closed/),
    ])
    expect(rssKb).toBeGreaterThan(0)
    const { stdout: rules } = await netns.exec(target, ['iptables-save'])
    expect(rules).toContain(`--dport ${1000 + repairs - 1} -j RETURN`)
  })
})
